//! The compose files.

use std::collections::BTreeMap;
use std::fs;
use std::process::Command;

use duskgate::Crew;
use protocol::Service;
use serde::Deserialize;
use tempfile::TempDir;

use crate::settings::CommandLine;
use crate::{shipped, text};

/// Where containers find secrets.
const SECRETS: &str = "/run/secrets";

#[derive(Debug, Deserialize)]
struct Compose {
    services: BTreeMap<String, Container>,
    #[serde(default)]
    configs: BTreeMap<String, Source>,
    secrets: BTreeMap<String, Source>,
}

#[derive(Debug, Default, Clone, Deserialize)]
#[serde(default)]
struct Container {
    image: String,
    entrypoint: Vec<String>,
    command: Vec<String>,
    environment: BTreeMap<String, String>,
    secrets: Vec<String>,
    configs: Vec<Mount>,
}

#[derive(Debug, Clone, Deserialize)]
struct Mount {
    source: String,
    target: String,
}

#[derive(Debug, Deserialize)]
struct Source {
    file: String,
}

impl Compose {
    /// The cluster, and the cluster with the playground.
    fn both() -> [Self; 2] {
        let (mut with, playground) = (Self::read("compose.yaml"), "compose.playground.yaml");
        let playground = Self::read(playground);
        for (name, more) in playground.services {
            let service = with.services.entry(name).or_default();
            if !more.image.is_empty() {
                *service = more;
                continue;
            }
            assert!(more.command.is_empty() && more.configs.is_empty());
            service.environment.extend(more.environment);
            service.secrets.extend(more.secrets);
        }
        with.secrets.extend(playground.secrets);
        [Self::read("compose.yaml"), with]
    }

    fn read(name: &str) -> Self {
        serde_saphyr::from_str(&with_defaults(&text(name))).unwrap()
    }

    /// Those that run our binary.
    fn ours(&self) -> impl Iterator<Item = (&String, &Container)> {
        let ours =
            |(_, container): &(&String, &Container)| container.image.starts_with("duskgate:");
        self.services.iter().filter(ours)
    }
}

/// Variables that nobody has set: `${NAME:-default}`.
fn with_defaults(text: &str) -> String {
    let mut parts = text.split("${");
    let mut all = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let (variable, rest) = part.split_once('}').unwrap();
        let (_, default) = variable.split_once(":-").unwrap();
        all.push_str(default);
        all.push_str(rest);
    }
    all
}

/// What `container/start.sh` runs for a service: the variables and the command line.
fn started(container: &Container) -> (Vec<(String, String)>, CommandLine) {
    let folder = TempDir::new().unwrap();
    let program = folder.path().join("duskgate");
    fs::write(
        &program,
        "#!/bin/sh\nenv\nfor word; do echo \"word=$word\"; done\n",
    )
    .unwrap();
    let executable = std::os::unix::fs::PermissionsExt::from_mode(0o755);
    fs::set_permissions(&program, executable).unwrap();
    for name in &container.secrets {
        fs::write(folder.path().join(name), format!("the-{name}")).unwrap();
    }
    let output = Command::new("/bin/sh")
        .arg(shipped("container/start.sh"))
        .args(&container.command)
        .env_clear()
        .env("PATH", format!("{}:/usr/bin:/bin", folder.path().display()))
        .env("SECRETS", folder.path())
        .envs(&container.environment)
        .output()
        .unwrap();
    let said = String::from_utf8(output.stdout).unwrap();
    assert!(output.status.success(), "{said}");
    let lines = said.lines().filter_map(|line| line.split_once('='));
    let (words, mut variables): (Vec<_>, Vec<_>) = lines
        .map(|(name, value)| (name.to_owned(), value.to_owned()))
        .partition(|(name, _)| name == "word");
    variables.retain(|(name, _)| name.starts_with("DUSKGATE_"));
    // Read while the secrets are there.
    for (_, value) in &mut variables {
        if let Some(secret) = value.strip_prefix(&format!("{SECRETS}/")) {
            let granted = container.secrets.iter().any(|name| name == secret);
            assert!(granted, "{secret} is not among {:?}", container.secrets);
            *value = shipped("duskgate.toml").display().to_string();
        }
    }
    let words = words.into_iter().map(|(_, word)| word).collect();
    (variables, CommandLine(words))
}

#[test]
fn every_container_runs_a_service_with_settings_that_it_takes() {
    let [alone, with_playground] = Compose::both();
    for (compose, playground) in [(&alone, false), (&with_playground, true)] {
        let mut services = Vec::new();
        for (name, container) in compose.ours() {
            let (variables, command) = started(container);
            command.assert_taken();
            let config = command.settings(variables);
            assert_eq!(
                config.bus.url.reveal(),
                format!(
                    "amqp://duskgate:the-broker-password@{}/duskgate",
                    container
                        .environment
                        .get("BROKER")
                        .map_or("rabbitmq:5672", String::as_str)
                )
            );
            assert_eq!(
                config.store.url.reveal(),
                format!(
                    "redis://:the-redis-password@{}",
                    container
                        .environment
                        .get("REDIS")
                        .map_or("redis:6379", String::as_str)
                )
            );
            let Crew::Only(service) = command.crew() else {
                panic!("{name} is everything at once")
            };
            assert_eq!(service.name(), name);
            assert_eq!(config.playground_runs(), playground, "{name}");
            if service == Service::Ingest {
                assert!(config.onebot.access_token.is_some());
            }
            services.push(service);
        }
        services.sort_by_key(|service| service.name());
        let mut all = Service::ALL.to_vec();
        all.retain(|service| playground || *service != Service::Playground);
        all.sort_by_key(|service| service.name());
        assert_eq!(services, all);
    }
}

#[test]
fn every_file_is_there_and_every_mount_is_of_a_file() {
    for compose in Compose::both() {
        for (name, container) in &compose.services {
            for secret in &container.secrets {
                assert!(compose.secrets.contains_key(secret), "{name}: {secret}");
            }
            for mount in &container.configs {
                assert!(
                    compose.configs.contains_key(&mount.source),
                    "{name}: {mount:?}"
                );
            }
            // Scripts and files that a server is started with are mounted, or are secrets.
            for word in &container.entrypoint {
                let known = container.configs.iter().any(|mount| mount.target == *word)
                    || container
                        .secrets
                        .iter()
                        .any(|s| *word == format!("{SECRETS}/{s}"))
                    || ["sh", "/run/duskgate", "/run/duskgate/definitions"].contains(&&**word);
                assert!(known, "{name}: {word}");
            }
        }
        for source in compose.configs.values() {
            assert!(shipped(&source.file).is_file());
        }
    }
}

/// `secrets.sh` makes each secret that the files name, once, and none twice the same.
#[test]
fn the_secrets_are_made_once() {
    let folder = TempDir::new().unwrap();
    let secrets = folder.path().join("secrets");
    let make = || {
        let output = Command::new(shipped("secrets.sh"))
            .arg(&secrets)
            .output()
            .unwrap();
        assert!(output.status.success());
        output.stdout.len()
    };
    assert!(make() > 0);
    let read = || {
        let [_, all] = Compose::both();
        let paths = all.secrets.values().map(|source| {
            let name = source.file.strip_prefix("./secrets/").unwrap();
            fs::read_to_string(secrets.join(name)).unwrap()
        });
        paths.collect::<Vec<_>>()
    };
    let before = read();
    assert_eq!(make(), 0, "all are there");
    assert_eq!(read(), before);
    let mut different = before.clone();
    different.sort();
    different.dedup();
    assert_eq!(different.len(), before.len());
    assert!(before.iter().all(|secret| secret.len() == 64), "{before:?}");
}

/// A password that an address cannot hold is refused before anything starts.
#[test]
fn a_password_that_does_not_fit_is_refused() {
    let folder = TempDir::new().unwrap();
    let password = folder.path().join("broker-password");
    for bad in ["", "a b", "a@b", "a/b\n", "a\"b"] {
        fs::write(&password, bad).unwrap();
        for script in ["container/start.sh", "rabbitmq/start.sh", "redis/start.sh"] {
            let mut command = Command::new("/bin/sh");
            command.arg(shipped(script)).env("SECRETS", folder.path());
            if script != "container/start.sh" {
                command
                    .arg(&password)
                    .arg(shipped("rabbitmq/definitions.json"))
                    .arg(folder.path().join("run"));
            }
            let output = command.arg("echo").arg("started").output().unwrap();
            assert_eq!(output.status.code(), Some(2), "{script} {bad:?}");
            assert!(output.stdout.is_empty(), "{script} {bad:?}");
        }
    }
}
