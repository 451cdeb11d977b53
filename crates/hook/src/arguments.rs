//! What the installed command line says.

use std::ffi::OsString;
use std::path::PathBuf;

/// The arguments that a hook knows. Others are ignored: a host may add its own.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Arguments {
    /// The data root that the installer wrote into the host's configuration.
    pub(crate) root: Option<PathBuf>,
    /// Print the build's id and leave.
    pub(crate) build_id: bool,
}

impl Arguments {
    /// Reads the arguments after the program's name.
    pub(crate) fn read(arguments: &mut dyn Iterator<Item = OsString>) -> Self {
        let mut read = Self::default();
        while let Some(argument) = arguments.next() {
            if argument == "--root" {
                read.root = arguments.next().filter(|root| !root.is_empty()).map(PathBuf::from);
            } else if argument == "--build-id" {
                read.build_id = true;
            } else if let Some(root) = argument.to_str().and_then(|text| text.strip_prefix("--root=")) {
                read.root = Some(PathBuf::from(root)).filter(|root| !root.as_os_str().is_empty());
            }
        }
        read
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn known_arguments_are_read_and_others_ignored() {
        let root = |path: &str| Some(PathBuf::from(path));
        for (line, expected) in [
            ("", Arguments::default()),
            ("--root /r", Arguments { root: root("/r"), build_id: false }),
            ("--root=/r --build-id", Arguments { root: root("/r"), build_id: true }),
            ("--host x --verbose --root /r y", Arguments { root: root("/r"), build_id: false }),
            ("--root", Arguments::default()),
            ("--root=", Arguments::default()),
        ] {
            let mut words = line.split_whitespace().map(OsString::from);
            assert_eq!(Arguments::read(&mut words), expected, "{line}");
        }
    }
}
