use std::path::{Path, PathBuf};

use jiff::tz::TimeZone;
use tempfile::TempDir;

use super::*;

/// A folder with a settings file in it.
struct Settings(TempDir);

impl Settings {
    fn new(text: &str) -> Self {
        let folder = TempDir::new().unwrap();
        std::fs::write(folder.path().join("duskgate.toml"), text).unwrap();
        Self(folder)
    }

    fn path(&self) -> PathBuf {
        self.0.path().join("duskgate.toml")
    }
}

fn pairs(pairs: &[(&str, &str)]) -> Vec<(String, String)> {
    pairs
        .iter()
        .map(|(name, value)| ((*name).to_owned(), (*value).to_owned()))
        .collect()
}

fn load(
    file: Option<&Path>,
    environment: &[(&str, &str)],
    flags: &[(&str, &str)],
) -> Result<Config, String> {
    Config::load(&Sources {
        file: file.map(Path::to_owned),
        environment: pairs(environment),
        flags: pairs(flags),
    })
    .map_err(|e| e.to_string())
}

#[test]
fn a_fresh_start_needs_no_file() {
    let config = Config::default();
    assert_eq!(config.http.listen.to_string(), "127.0.0.1:8080");
    assert_eq!(config.bus.url.reveal(), "local");
    assert_eq!(config.store.url.reveal(), "file:./duskgate-data");
    assert_eq!(config.onebot.access_token_file, None);
    assert_eq!(config.onebot.access_token, None);
    assert_eq!(config.onebot.forward, Vec::<String>::new());
    assert_eq!(config.directors.users, []);
    assert_eq!(config.groups.mode, GroupMode::Managed);
    assert_eq!(config.groups.pool, []);
    assert_eq!(
        *config.clock.zone.time_zone(),
        TimeZone::get("Asia/Shanghai").unwrap()
    );
    assert!((config.clock.speed.factor() - 1.0).abs() < f64::EPSILON);
    assert_eq!(config.clock.source, ClockSource::System);
    assert_eq!(config.log.format, LogFormat::Text);
    assert!(config.playground_runs());
    assert_eq!(config.texts.folder, None);
    assert_eq!(config.boards.folder, None);
}

#[test]
fn later_sources_replace_earlier_ones_key_by_key() {
    let settings = Settings::new(
        "[http]\nlisten = \"127.0.0.1:1\"\n[log]\nformat = \"json\"\n\
         [clock]\nspeed = 60\nzone = \"Europe/Berlin\"\n[groups]\npool = [700001, 700002]\n",
    );
    let environment = [
        ("DUSKGATE_HTTP_LISTEN", "127.0.0.1:2"),
        ("DUSKGATE_CLOCK_SPEED", "2.5"),
        ("DUSKGATE_DIRECTORS_USERS", "10001, 10002,"),
        ("DUSKGATE_ONEBOT_FORWARD", "ws://a:3001,ws://b:3001"),
        ("PATH", "/bin"),
    ];
    let flags = [("http.listen", "127.0.0.1:3"), ("groups.pool", "")];
    let config = load(Some(&settings.path()), &environment, &flags).unwrap();
    assert_eq!(config.http.listen.port(), 3);
    assert_eq!(config.log.format, LogFormat::Json);
    assert!((config.clock.speed.factor() - 2.5).abs() < f64::EPSILON);
    assert_eq!(
        *config.clock.zone.time_zone(),
        TimeZone::get("Europe/Berlin").unwrap()
    );
    assert_eq!(config.groups.pool, []);
    assert_eq!(config.directors.users, [UserId(10_001), UserId(10_002)]);
    assert_eq!(config.onebot.forward, ["ws://a:3001", "ws://b:3001"]);
    assert!(!config.playground_runs(), "another chat side is configured");

    let config = load(Some(&settings.path()), &[], &[]).unwrap();
    assert_eq!(config.groups.pool, [ChatGroup(700_001), ChatGroup(700_002)]);
    assert!((config.clock.speed.factor() - 60.0).abs() < f64::EPSILON);
}

#[test]
fn errors_in_the_file_name_key_value_and_line() {
    let cases = [
        (
            "\n\n[http]\nlisten = \"nowhere\"\n",
            vec!["http.listen", "\"nowhere\"", "line 4"],
        ),
        (
            "[http]\nport = 80\n",
            vec!["http.port", "unknown", "line 2", "[http] has listen"],
        ),
        (
            "[htpp]\nlisten = \"127.0.0.1:1\"\n",
            vec!["htpp.listen", "line 2", "sections are"],
        ),
        (
            "[clock]\nspeed = -1\n",
            vec!["clock.speed", "-1", "above 0", "line 2"],
        ),
        (
            "[clock]\nspeed = \"fast\"\n",
            vec!["clock.speed", "\"fast\"", "line 2"],
        ),
        (
            "[clock]\nzone = \"Mars/Olympus\"\n",
            vec!["clock.zone", "Mars/Olympus", "time zone"],
        ),
        (
            "[clock]\nsource = \"sundial\"\n",
            vec!["clock.source", "sundial", "system"],
        ),
        (
            "[groups]\nmode = \"wild\"\n",
            vec!["groups.mode", "wild", "managed"],
        ),
        (
            "[groups]\npool = [\"x\"]\n",
            vec!["groups.pool", "x", "line 2"],
        ),
        (
            "[directors]\nusers = [-5]\n",
            vec!["directors.users", "-5", "line 2"],
        ),
        ("[bus]\nurl = \"\"\n", vec!["bus.url", "must not be empty"]),
        (
            "[onebot]\naccess_token = \"hush\"\n",
            vec!["onebot.access_token", "access_token_file"],
        ),
        ("listen = 1\n", vec!["duskgate.toml", "line 1"]),
        ("[http\n", vec!["duskgate.toml", "line 1"]),
    ];
    for (text, expected) in cases {
        let settings = Settings::new(text);
        let error = load(Some(&settings.path()), &[], &[]).expect_err(text);
        for part in expected {
            assert!(error.contains(part), "{part:?} is missing in {error:?}");
        }
        assert!(!error.contains("hush"), "{error}");
    }
    let error = load(Some(Path::new("not/there.toml")), &[], &[]).unwrap_err();
    assert!(error.contains("not/there.toml"), "{error}");
}

#[test]
fn errors_in_variables_and_flags_name_them() {
    for (name, value, expected) in [
        (
            "DUSKGATE_CLOCK_SPEED",
            "fast",
            "bad value \"fast\" for clock.speed",
        ),
        ("DUSKGATE_CLOCK_SPEED", "0", "above 0"),
        ("DUSKGATE_CLOCK_SPEED", "NaN", "above 0"),
        ("DUSKGATE_HTP_LISTEN", "x", "unknown setting htp.listen"),
        ("DUSKGATE_HTTP_LISTN", "x", "unknown setting http.listn"),
        ("DUSKGATE_NONSENSE", "x", "DUSKGATE_<SECTION>_<KEY>"),
        ("DUSKGATE_GROUPS_POOL", "1,two", "groups.pool"),
    ] {
        let error = load(None, &[(name, value)], &[]).expect_err(name);
        assert!(error.contains(expected) && error.contains(name), "{error}");
    }
    for (key, value, expected) in [
        ("http.listen", "x", "http.listen (flag)"),
        ("listen", "x", "section.key"),
        ("http.nothing", "x", "unknown setting http.nothing (flag)"),
    ] {
        let error = load(None, &[], &[(key, value)]).expect_err(key);
        assert!(error.contains(expected), "{error}");
    }
    let quiet = [
        ("DUSKGATE_TEST_AMQP_URL", "x"),
        ("DUSKGATE_CONFIG", "y"),
        ("DUSK", "z"),
    ];
    assert_eq!(load(None, &quiet, &[]).unwrap(), Config::default());
}

#[test]
fn secrets_come_from_files_and_the_environment_and_are_never_printed() {
    let settings = Settings::new("");
    let token_file = settings.0.path().join("token");
    std::fs::write(&token_file, "hush-file\n").unwrap();
    let file = (
        "DUSKGATE_ONEBOT_ACCESS_TOKEN_FILE",
        token_file.to_str().unwrap(),
    );
    let variable = ("DUSKGATE_ONEBOT_ACCESS_TOKEN", "hush-variable");
    let bus = ("DUSKGATE_BUS_URL", "amqp://user:hush@host:5672/vhost");

    let config = load(None, &[file, bus], &[]).unwrap();
    assert_eq!(
        config.onebot.access_token.as_ref().unwrap().reveal(),
        "hush-file"
    );
    assert!(!config.playground_runs());
    assert_eq!(config.bus.url.reveal(), bus.1);
    assert_eq!(config.bus.url.kind(), "amqp");
    assert_eq!(config.bus.url.to_string(), "amqp://…@host:5672/vhost");
    assert!(!format!("{config:?}").contains("hush"), "{config:?}");

    let config = load(None, &[file, variable], &[]).unwrap();
    assert_eq!(
        config.onebot.access_token.unwrap().reveal(),
        "hush-variable"
    );
    let none = load(None, &[("DUSKGATE_ONEBOT_ACCESS_TOKEN", " ")], &[]).unwrap();
    assert_eq!(none.onebot.access_token, None);
    let playground = ("DUSKGATE_PLAYGROUND_ACCESS_TOKEN", "hush-too");
    let both = load(None, &[file, playground], &[]).unwrap();
    assert_eq!(
        both.onebot.access_token.as_ref().unwrap().reveal(),
        "hush-file"
    );
    let token = both.playground.access_token.as_ref().unwrap();
    assert_eq!(token.reveal(), "hush-too");
    assert!(!format!("{both:?}").contains("hush"), "{both:?}");

    for flag in [
        ("onebot.access_token", "hush"),
        ("playground.access_token", "hush"),
        ("bus.url", "amqp://user:hush@host/"),
        ("store.url", "redis://:hush@host:6379"),
    ] {
        let error = load(None, &[], &[flag]).expect_err(flag.0);
        assert!(error.contains("must not be given as a flag"), "{error}");
        assert!(
            error.contains("DUSKGATE_") && !error.contains("hush"),
            "{error}"
        );
    }
    load(None, &[], &[("store.url", "redis://host:6379")]).unwrap();

    let missing = ("DUSKGATE_ONEBOT_ACCESS_TOKEN_FILE", "not/there");
    let error = load(None, &[missing], &[]).unwrap_err();
    assert!(
        error.contains("cannot read the access token not/there"),
        "{error}"
    );
}

#[test]
fn a_bad_url_is_shown_without_its_password() {
    let settings = Settings::new("[bus]\nurl = \"amqp://user:hush@host\"\nurls = 3\n");
    let error = load(Some(&settings.path()), &[], &[]).unwrap_err();
    assert!(
        error.contains("bus.urls") && !error.contains("hush"),
        "{error}"
    );
}

#[test]
fn the_playground_is_on_when_asked_for_or_alone() {
    let other_side = ("DUSKGATE_ONEBOT_ACCESS_TOKEN", "t");
    for (mode, alone, beside_another) in [
        ("auto", true, false),
        ("on", true, true),
        ("off", false, false),
    ] {
        let mode = ("DUSKGATE_PLAYGROUND_ENABLED", mode);
        assert_eq!(load(None, &[mode], &[]).unwrap().playground_runs(), alone);
        assert_eq!(
            load(None, &[mode, other_side], &[])
                .unwrap()
                .playground_runs(),
            beside_another
        );
    }
}
