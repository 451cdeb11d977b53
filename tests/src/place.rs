//! One home and the host that is run there again and again.

use crate::error::Result;
use crate::fake_model::{Script, Step};
use crate::host::{Host, HostId, Options, Run, host};
use crate::test_home::TestHome;

/// A home, and a host in it.
#[derive(Debug)]
pub struct Place {
    /// The host.
    pub host: Host,
    /// The home.
    pub home: TestHome,
}

impl Place {
    /// A new home with this host; nothing where the host cannot be run.
    pub fn of(id: HostId) -> Result<Option<Self>> {
        let Some(host) = host(id) else { return Ok(None) };
        Ok(Some(Self { host, home: TestHome::new()? }))
    }

    /// One run that ends well.
    pub fn run(&self, script: &Script, prompt: &str, options: &Options) -> Result<Run> {
        self.host.run(&self.home, script, prompt, options)?.expect_ok(&self.host)
    }

    /// A new session of one prompt.
    pub fn ask(&self, prompt: &str) -> Result<Run> {
        self.run(&Script::new([Step::text("Well.")]), prompt, &Options::default())
    }

    /// The last session goes on.
    pub fn go_on(&self, prompt: &str) -> Result<Run> {
        let options = Options { resume: true, ..Options::default() };
        self.run(&Script::new([Step::text("Well.")]), prompt, &options)
    }
}

impl Run {
    /// All that the last request of the main conversation said to the model, in one text.
    ///
    /// # Panics
    /// If there was none.
    pub fn told(&self) -> String {
        let last = self.model.main().last().expect("a request of the main conversation");
        last.texts().iter().map(|text| text.text.as_str()).collect::<Vec<_>>().join("\n")
    }
}

/// How often a text has a part.
pub fn times(text: &str, part: &str) -> usize {
    text.matches(part).count()
}
