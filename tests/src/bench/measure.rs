//! What one run of a program costs, and what many runs cost.

use std::io::{Read as _, Write as _};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use nix::sys::resource::{UsageWho, getrusage};
use nix::sys::time::TimeVal;

use crate::error::{Error, Result};

/// What one run of a program cost.
#[derive(Debug, Clone)]
pub struct Cost {
    /// From before its start until it was reaped, in milliseconds.
    pub wall: f64,
    /// Processor time of itself, user and system, in milliseconds.
    pub cpu: f64,
    /// What it printed.
    pub output: Vec<u8>,
}

/// Runs a program as a host runs a hook: a pipe in, a pipe out, nothing on standard error.
///
/// The processor time is what the system counts for children that were waited for, so that only one program
/// may be measured at a time.
pub fn once(command: &mut Command, input: &[u8]) -> Result<Cost> {
    let program = command.get_program().to_string_lossy().into_owned();
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
    let before = children()?;
    let started = Instant::now();
    let mut child = command.spawn().map_err(Error::run(&program))?;
    if let Some(mut pipe) = child.stdin.take() {
        // A program may leave without reading.
        let _ = pipe.write_all(input);
    }
    let mut output = Vec::new();
    if let Some(pipe) = &mut child.stdout {
        pipe.read_to_end(&mut output).map_err(Error::run(&program))?;
    }
    let status = child.wait().map_err(Error::run(&program))?;
    let wall = started.elapsed();
    let cpu = children()?.saturating_sub(before);
    if !status.success() {
        return Err(Error::Program { program, problem: format!("left with {status}") });
    }
    Ok(Cost { wall: millis(wall), cpu: millis(cpu), output })
}

/// The processor time of all children that were waited for.
fn children() -> Result<Duration> {
    let usage = getrusage(UsageWho::RUSAGE_CHILDREN)
        .map_err(|error| Error::run("getrusage")(std::io::Error::from(error)))?;
    Ok(duration(usage.user_time()) + duration(usage.system_time()))
}

fn duration(time: TimeVal) -> Duration {
    let micros = time.tv_sec().saturating_mul(1_000_000).saturating_add(time.tv_usec());
    Duration::from_micros(u64::try_from(micros).unwrap_or(0))
}

/// A duration in milliseconds.
pub fn millis(time: Duration) -> f64 {
    time.as_secs_f64() * 1e3
}

/// Measured values of one kind.
#[derive(Debug, Clone, Default)]
pub struct Sample {
    sorted: Vec<f64>,
}

impl FromIterator<f64> for Sample {
    fn from_iter<I: IntoIterator<Item = f64>>(values: I) -> Self {
        let mut sorted: Vec<f64> = values.into_iter().collect();
        sorted.sort_by(f64::total_cmp);
        Self { sorted }
    }
}

impl Sample {
    /// The value below which so many of a hundred lie; not a number where there is none.
    pub fn percentile(&self, hundredths: usize) -> f64 {
        let last = self.sorted.len().saturating_sub(1);
        self.sorted.get(last * hundredths / 100).copied().unwrap_or(f64::NAN)
    }

    /// How many values there are.
    pub fn len(&self) -> usize {
        self.sorted.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.sorted.is_empty()
    }

    /// The value in the middle.
    pub fn median(&self) -> f64 {
        self.percentile(50)
    }

    /// The least: what the machine can do when nobody disturbs it.
    pub fn least(&self) -> f64 {
        self.percentile(0)
    }

    /// The value in the middle of the lower half: on a busy machine nearer to the truth than the median.
    pub fn quartile(&self) -> f64 {
        self.percentile(25)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn percentiles_are_values_of_the_sample() {
        let sample: Sample = (0..=100).rev().map(f64::from).collect();
        for part in [0, 25, 50, 95, 99, 100] {
            assert_eq!(sample.percentile(part).to_string(), part.to_string());
        }
        assert!(Sample::default().median().is_nan());
    }

    #[test]
    fn a_program_that_works_costs_processor_time() {
        let script = "i=0; while [ $i -lt 20000 ]; do i=$((i+1)); done; cat";
        let cost = once(Command::new("sh").args(["-c", script]), b"said").expect("a shell");
        assert_eq!(cost.output, b"said");
        assert!(cost.cpu > 0.0 && cost.wall > 0.0, "{cost:?}");
        once(&mut Command::new("false"), b"").expect_err("a status that is not 0");
    }
}
