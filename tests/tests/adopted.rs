//! A project that was moved, or cloned again, is joined to the earlier one: its memories, sessions and open work come
//! along.

use remora_tests::{Error, Installed, Result, Session, TestHome};
use serde_json::json;

#[test]
fn what_happened_in_a_project_is_found_in_the_one_that_it_was_joined_to() -> Result<()> {
    let home = TestHome::new()?;
    let installed = Installed::programs_only(&home)?;
    let earlier = Session::new(&home, "0192a3b4-earlier");
    let _ = earlier.prompt("the whirligig is painted vermilion")?;
    let old = home.project().to_string_lossy().into_owned();
    installed.json(&["--project", &old, "remember", "We deploy on Tuesdays only."])?;

    let clone = home.folder().join("cloned-again");
    std::fs::create_dir(&clone).map_err(Error::file("making", &clone))?;
    let here = clone.to_string_lossy().into_owned();
    let later = Session::new(&home, "0192a3b4-later").in_folder(&clone);
    let _ = later.prompt("the trellis is painted cerulean")?;
    installed.json(&["--project", &here, "remember", "Releases are tagged by the build server."])?;
    installed.json(&["--project", &here, "work", "add", "oil the hinges"])?;
    let elsewhere = installed.json(&["--project", &here, "search", "vermilion"])?;
    assert_eq!(elsewhere["total"], 0, "{elsewhere:#}");

    let joined = installed.json(&["--project", &here, "project", "adopt", &old])?;
    assert_eq!((&joined["moved"], &joined["sessions"]), (&json!(1), &json!(1)), "{joined:#}");
    for place in [&old, &here] {
        for word in ["vermilion", "cerulean"] {
            let found = installed.json(&["--project", place, "search", word])?;
            assert_eq!(found["total"], 1, "{word} in {place}: {found:#}");
        }
        let list = installed.json(&["--project", place, "list"])?;
        assert_eq!(list["memories"].as_array().map(Vec::len), Some(2), "{list:#}");
        let work = installed.json(&["--project", place, "work"])?;
        assert_eq!(work["items"][0]["text"], "oil the hinges", "{work:#}");
    }
    // What comes later is of the same project.
    let _ = later.prompt("and the fence is painted ochre")?;
    let found = installed.json(&["--project", &old, "search", "ochre"])?;
    assert_eq!(found["total"], 1, "{found:#}");
    Ok(())
}
