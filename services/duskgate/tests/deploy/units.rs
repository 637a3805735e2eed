//! The units of systemd.

use duskgate::Crew;
use protocol::Service;

use crate::settings::CommandLine;
use crate::text;

/// All values of a key of a unit.
fn values(unit: &str, key: &str) -> Vec<String> {
    let lines = unit.lines().filter_map(|line| line.split_once('='));
    lines
        .filter(|(name, _)| *name == key)
        .map(|(_, value)| value.to_owned())
        .collect()
}

/// The variables of a unit, its specifiers and the files of its credentials replaced.
fn variables(unit: &str) -> Vec<(String, String)> {
    let credentials = values(unit, "LoadCredential");
    let there = crate::shipped("duskgate.toml").display().to_string();
    let variable = |line: String| {
        let (name, value) = line.split_once('=').unwrap();
        let value = match value.strip_prefix("%d/") {
            Some(credential) => {
                let loaded = credentials
                    .iter()
                    .any(|c| c.starts_with(&format!("{credential}:")));
                assert!(loaded, "{credential} is not among {credentials:?}");
                there.clone()
            }
            None => value.replace("%S", "/var/lib"),
        };
        (name.to_owned(), value)
    };
    let lines = values(unit, "Environment").into_iter().map(variable);
    lines.collect()
}

fn command(unit: &str, replaced: &[(&str, &str)]) -> CommandLine {
    let [line] = &values(unit, "ExecStart")[..] else {
        panic!("one command")
    };
    let mut line = line
        .strip_prefix("/usr/local/bin/duskgate ")
        .unwrap()
        .to_owned();
    for (specifier, value) in replaced {
        line = line.replace(specifier, value);
    }
    assert!(!line.contains(['%', '$']), "{line}");
    CommandLine(line.split(' ').map(ToOwned::to_owned).collect())
}

fn ours(variables: &[(String, String)]) -> Vec<(String, String)> {
    let mut ours = variables.to_vec();
    ours.retain(|(name, _)| name.starts_with("DUSKGATE_"));
    ours
}

#[test]
fn the_single_process_has_settings_that_it_takes() {
    let unit = text("duskgate.service");
    let command = command(&unit, &[]);
    assert_eq!(command.crew(), Crew::Everybody);
    command.assert_taken();
    let config = command.settings(ours(&variables(&unit)));
    assert_eq!(config.store.url.reveal(), "file:/var/lib/duskgate");
    assert!(config.onebot.access_token.is_some());
}

#[test]
fn the_target_starts_every_service_with_settings_that_it_takes() {
    let unit = text("systemd/duskgate-service@.service");
    let addresses = text("systemd/cluster.env").replace("密码", "hush");
    let mut services = Vec::new();
    let mut ports = Vec::new();
    for wanted in values(&text("systemd/duskgate.target"), "Wants") {
        let name = wanted.strip_suffix(".service").unwrap();
        let (prefix, port) = name.split_once('@').unwrap();
        let service = prefix.strip_prefix("duskgate-").unwrap();
        let with = match service {
            "ingest" => format!("{unit}\n{}", text("systemd/onebot-token.conf")),
            _ => unit.clone(),
        };
        let mut variables = variables(&with);
        // The file wins over the unit, as systemd has it.
        let file = addresses.lines().filter(|line| !line.starts_with('#'));
        let file = file.filter_map(|line| line.split_once('='));
        variables.extend(file.map(|(name, value)| (name.to_owned(), value.to_owned())));
        let listen = variables.iter().find(|(name, _)| name == "LISTEN_ADDRESS");
        let listen = listen.unwrap().1.as_str();
        let replaced = [("%j", service), ("%i", port), ("${LISTEN_ADDRESS}", listen)];
        let command = command(&unit, &replaced);
        command.assert_taken();
        let config = command.settings(ours(&variables));
        assert_eq!(
            config.http.listen,
            format!("127.0.0.1:{port}").parse().unwrap()
        );
        assert!(config.bus.url.has_password() && config.store.url.has_password());
        assert_eq!(config.onebot.access_token.is_some(), service == "ingest");
        assert!(!config.playground_runs());
        let Crew::Only(service) = command.crew() else {
            panic!("{name} is everything at once")
        };
        services.push(service);
        ports.push(port.to_owned());
    }
    let mut all = Service::ALL.to_vec();
    all.retain(|service| *service != Service::Playground);
    assert_eq!(services, all);
    ports.sort();
    ports.dedup();
    assert_eq!(ports.len(), all.len(), "each at a port of its own");
}
