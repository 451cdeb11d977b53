//! What an installation takes on the disk.

use std::path::{Path, PathBuf};

use super::table::{Figure, Table};
use super::{Plan, Result};
use crate::error::Error;

/// 700 KiB for a hook, 24 MiB for the command, 40 MiB for all with four hosts.
const HOOK: f64 = 716_800.0;
const COMMAND: f64 = 25_165_824.0;
const WHOLE: f64 = 41_943_040.0;

/// The table of sizes.
pub(super) fn run(plan: &Plan) -> Result<Table> {
    let mut table = Table::new("Sizes", &["what", "bytes", "files"]);
    let bin = plan.dist.join("bin");
    let mut whole = 0;
    let mut hosts = 0;
    for host in entries(&bin)?.into_iter().filter(|path| path.is_dir()) {
        let name = host.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let sizes: Vec<u64> = entries(&host)?.iter().map(|file| size(file)).collect::<Result<_>>()?;
        let largest = sizes.iter().max().copied().unwrap_or(0);
        let files = sizes.len() as u64;
        table.row(
            format!("largest hook of {name}"),
            [Figure::count(largest).at_most(HOOK), Figure::count(files)],
        );
        whole += sizes.iter().sum::<u64>();
        hosts += 1;
    }
    let command = size(&bin.join("remora"))?;
    table.row("remora, command and engine", [Figure::count(command).at_most(COMMAND), Figure::count(1)]);
    table
        .row("the whole installation", [Figure::count(whole + command).at_most(WHOLE), Figure::count(hosts)]);
    table.note("Of the whole installation the last column counts hosts; its target is for four.");
    Ok(table)
}

fn entries(folder: &Path) -> Result<Vec<PathBuf>> {
    let read = std::fs::read_dir(folder).map_err(Error::file("reading", folder))?;
    let mut paths: Vec<PathBuf> = read.flatten().map(|entry| entry.path()).collect();
    paths.sort();
    Ok(paths)
}

fn size(file: &Path) -> Result<u64> {
    Ok(std::fs::metadata(file).map_err(Error::file("reading", file))?.len())
}
