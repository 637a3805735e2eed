//! Command lines and settings, tried on the binary and on what reads its settings.

use std::path::PathBuf;
use std::process::Command;

use duskgate::Crew;
use kit::Config;
use kit::config::Sources;
use protocol::Service;

/// A command line of ours, without the program.
#[derive(Debug, Clone)]
pub struct CommandLine(pub Vec<String>);

impl CommandLine {
    /// Which services it runs.
    pub fn crew(&self) -> Crew {
        let name = self.0.first().map_or("", String::as_str);
        match Service::ALL.into_iter().find(|s| s.name() == name) {
            Some(service) => Crew::Only(service),
            None if name == "up" => Crew::Everybody,
            None => panic!("{name:?} is no service: {self:?}"),
        }
    }

    /// The binary takes it: so says its parser, which looks at everything before it shows help.
    pub fn assert_taken(&self) {
        let output = Command::new(env!("CARGO_BIN_EXE_duskgate"))
            .args(&self.0)
            .arg("--help")
            .output()
            .unwrap();
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{self:?}: {said}");
    }

    /// The settings that the binary would have, with these variables; the crew can do with them.
    pub fn settings(&self, environment: Vec<(String, String)>) -> Config {
        let value = |flag: &str| {
            let at = self.0.iter().position(|word| word == flag)?;
            self.0.get(at + 1).cloned()
        };
        let file = value("--config");
        assert_eq!(file.as_deref(), Some("/etc/duskgate/duskgate.toml"));
        let listen = value("--listen").map(|listen| ("http.listen".to_owned(), listen));
        let sources = Sources {
            file: Some(crate::shipped("duskgate.toml")),
            environment,
            flags: listen.into_iter().collect(),
        };
        let config = Config::load(&sources).unwrap_or_else(|error| panic!("{self:?}: {error}"));
        duskgate::check(&config, self.crew()).unwrap_or_else(|error| panic!("{self:?}: {error}"));
        config
    }
}

/// Every line of the example that is switched off says a setting that there is, with its default.
#[test]
fn the_example_names_only_settings_that_there_are() {
    let example = crate::text("duskgate.toml");
    let mut off = 0;
    let all: String = example
        .lines()
        .map(|line| match line.strip_prefix('#') {
            Some(setting) if setting.contains(" = ") && !setting.starts_with(' ') => {
                off += 1;
                format!("{setting}\n")
            }
            _ => format!("{line}\n"),
        })
        .collect();
    assert!(off >= 10, "{off} settings are switched off");
    let folder = tempfile::TempDir::new().unwrap();
    let token = folder.path().join("token");
    std::fs::write(&token, "a token").unwrap();
    let token = format!("{:?}", token.display().to_string());
    let all = all
        .replace("\"/etc/duskgate/onebot-token\"", &token)
        .replace("\"/etc/duskgate/playground-token\"", &token);
    let file: PathBuf = folder.path().join("duskgate.toml");
    std::fs::write(&file, all).unwrap();
    let load = |file| {
        let file = Some(file);
        Config::load(&Sources {
            file,
            ..Sources::default()
        })
        .unwrap()
    };
    let (all_on, as_it_is) = (load(file), load(crate::shipped("duskgate.toml")));
    assert_eq!(all_on.bus, as_it_is.bus);
    assert_eq!(all_on.store, as_it_is.store);
    assert_eq!(all_on.clock, as_it_is.clock);
    assert_eq!(all_on.http, as_it_is.http);
}
