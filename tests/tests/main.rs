//! The whole-system tests, one binary: each file here is a module of it.

mod real_hosts;
