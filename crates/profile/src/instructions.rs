//! Files with standing instructions that a host loads by itself.

use serde::{Deserialize, Serialize};

/// One such file, or a pattern of them.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct InstructionFile {
    /// Where it lies: absolute, below `~`, or relative to a folder of the project. `**` and `*` may stand
    /// in it.
    pub path: String,
    /// Whose instructions they are.
    #[serde(default)]
    pub of: Reader,
    /// Whether `@path` in it includes another file.
    #[serde(default)]
    pub imports: bool,
}

/// Whose instructions a file holds, which is also where a relative path begins.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Reader {
    /// Everybody's on this machine, written by its administrator.
    Machine,
    /// The person's, in every project.
    Person,
    /// The project's; looked for in the working directory and the folders above it.
    #[default]
    #[serde(other)]
    Project,
}
