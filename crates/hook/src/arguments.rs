//! What the installed command line says.

use std::ffi::OsString;
use std::path::PathBuf;

/// The arguments that a hook knows. Others are ignored: a host may add its own.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Arguments {
    /// The data root that the installer wrote into the host's configuration.
    pub(crate) root: Option<PathBuf>,
    /// Milliseconds from the start of the process, instead of the hook's own deadline: for slow machines.
    pub(crate) deadline_ms: Option<u64>,
    /// Print the build's id and leave.
    pub(crate) build_id: bool,
}

impl Arguments {
    /// Reads the arguments after the program's name.
    pub(crate) fn read(arguments: &mut dyn Iterator<Item = OsString>) -> Self {
        let mut read = Self::default();
        while let Some(argument) = arguments.next() {
            let text = argument.to_string_lossy();
            let (name, attached) = match text.split_once('=') {
                Some((name, value)) => (name, Some(OsString::from(value))),
                None => (text.as_ref(), None),
            };
            match name {
                "--root" => {
                    let root = attached.or_else(|| arguments.next());
                    read.root = root.filter(|root| !root.is_empty()).map(PathBuf::from);
                }
                "--deadline-ms" => {
                    let millis = attached.or_else(|| arguments.next());
                    read.deadline_ms = millis.and_then(|millis| millis.to_str()?.parse().ok());
                }
                "--build-id" => read.build_id = true,
                _ => {}
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
            ("--root /r", Arguments { root: root("/r"), ..Arguments::default() }),
            ("--root=/r --build-id", Arguments { root: root("/r"), build_id: true, ..Arguments::default() }),
            ("--host x --verbose --root /r y", Arguments { root: root("/r"), ..Arguments::default() }),
            ("--deadline-ms 2000", Arguments { deadline_ms: Some(2_000), ..Arguments::default() }),
            ("--deadline-ms=20", Arguments { deadline_ms: Some(20), ..Arguments::default() }),
            ("--deadline-ms soon", Arguments::default()),
            ("--root", Arguments::default()),
            ("--root=", Arguments::default()),
        ] {
            let mut words = line.split_whitespace().map(OsString::from);
            assert_eq!(Arguments::read(&mut words), expected, "{line}");
        }
    }
}
