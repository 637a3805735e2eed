//! Private RabbitMQ brokers.

use std::path::Path;
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use tokio::net::TcpStream;
use tokio::process::Command;

use crate::{Child, Folder, OUTPUT, ServerError, free_ports};

/// Not the one on the path: that one changes the user and the folder.
const PROGRAM: &str = "/usr/lib/rabbitmq/bin/rabbitmq-server";
const CTL: &str = "/usr/lib/rabbitmq/bin/rabbitmqctl";
const NODE: &str = "rabbit@localhost";
const LOG: &str = "log/node.log";
/// What the product's operators load into their broker.
const DEFINITIONS: &str = include_str!("../../../deploy/rabbitmq/definitions.json");
/// The virtual host that [`DEFINITIONS`] is about.
pub const VHOST: &str = "duskgate";
/// Who may do everything.
pub const USER: &str = "duskgate";
/// Its password.
pub const PASSWORD: &str = "between dusk and dawn";
/// How long a start or a stop may take on a busy machine.
const PATIENCE: Duration = Duration::from_secs(120);
/// Between two tries whether it answers.
const PAUSE: Duration = Duration::from_millis(20);
/// With ports that others have taken meanwhile, it is tried again so often.
const TRIES: usize = 5;

/// How a broker is to be.
#[derive(Debug, Clone, Default)]
pub struct RabbitStarter {
    spare_vhosts: usize,
}

impl RabbitStarter {
    /// With so many virtual hosts beside [`VHOST`]: no queues, the same policies. Their names
    /// are [`spare_vhost`]'s.
    #[must_use]
    pub fn spare_vhosts(mut self, count: usize) -> Self {
        self.spare_vhosts = count;
        self
    }

    /// Starts it and waits until it takes connections.
    pub async fn start(self) -> Result<RabbitServer, ServerError> {
        for _ in 1..TRIES {
            match self.start_once().await {
                Err(ServerError::Exited { log, .. }) if log.contains("eaddrinuse") => {}
                other => return other,
            }
        }
        self.start_once().await
    }

    async fn start_once(&self) -> Result<RabbitServer, ServerError> {
        let folder = Folder::new("rabbit")?;
        let ports = free_ports(3).map_err(ServerError::io("free ports"))?;
        let (port, dist, epmd) = (ports[0], ports[1], ports[2]);
        self.write_files(folder.path(), port)
            .map_err(ServerError::io("the broker's settings"))?;
        // The node would start one that outlives us.
        let args = ["-port", &epmd.to_string(), "-address", "127.0.0.1"].map(ToString::to_string);
        let mut server = RabbitServer {
            child: None,
            _epmd: Child::start("epmd", &args, &folder)?,
            ports: Ports { port, dist, epmd },
            folder,
        };
        server.start_again().await?;
        Ok(server)
    }

    fn write_files(&self, folder: &Path, port: u16) -> std::io::Result<()> {
        for name in ["home", "mnesia", "log", "conf/definitions"] {
            std::fs::create_dir_all(folder.join(name))?;
        }
        let definitions = folder.join("conf/definitions");
        std::fs::write(definitions.join("1-product.json"), DEFINITIONS)?;
        std::fs::write(definitions.join("2-tests.json"), self.own().to_string())?;
        std::fs::write(folder.join("conf/enabled_plugins"), "[].")?;
        let text = |path: &str| folder.join(path).display().to_string();
        let conf = format!(
            "listeners.tcp.1 = 127.0.0.1:{port}\n\
             log.console = false\n\
             log.file = {}\n\
             load_definitions = {}\n\
             disk_free_limit.absolute = 50MB\n\
             vm_memory_high_watermark.absolute = 512MB\n",
            text(LOG),
            text("conf/definitions"),
        );
        std::fs::write(folder.join("conf/rabbitmq.conf"), conf)
    }

    /// The user, and virtual hosts with the product's policies.
    fn own(&self) -> Value {
        let product: Value = serde_json::from_str(DEFINITIONS).expect("the product's file is JSON");
        let spare: Vec<_> = (0..self.spare_vhosts).map(spare_vhost).collect();
        let policies = product["policies"].as_array().into_iter().flatten();
        let policies: Vec<_> = policies
            .flat_map(|policy| {
                spare.iter().map(|vhost| {
                    let mut policy = policy.clone();
                    policy["vhost"] = json!(vhost);
                    policy
                })
            })
            .collect();
        let mut permissions = Vec::new();
        for vhost in spare.iter().map(String::as_str).chain([VHOST]) {
            permissions.push(json!({
                "user": USER, "vhost": vhost, "configure": ".*", "write": ".*", "read": ".*",
            }));
        }
        let vhosts: Vec<_> = spare.iter().map(|name| json!({ "name": name })).collect();
        json!({
            "users": [{ "name": USER, "password": PASSWORD, "tags": "administrator" }],
            "vhosts": vhosts,
            "permissions": permissions,
            "policies": policies,
        })
    }
}

/// The name of a spare virtual host, counted from 0.
pub fn spare_vhost(number: usize) -> String {
    format!("spare-{number}")
}

#[derive(Debug, Clone, Copy)]
struct Ports {
    port: u16,
    dist: u16,
    epmd: u16,
}

/// A broker of ours that has loaded the product's definitions. It is killed, and its folder
/// removed, when this is dropped.
#[derive(Debug)]
pub struct RabbitServer {
    // Before what it needs, and before the folder in which it works.
    child: Option<Child>,
    _epmd: Child,
    ports: Ports,
    folder: Folder,
}

impl RabbitServer {
    /// Starts one with nothing but the product's definitions.
    pub async fn start() -> Result<Self, ServerError> {
        RabbitStarter::default().start().await
    }

    /// Leaves it running until our process ends; it and its folder end then.
    pub fn for_the_whole_run(mut self) -> Result<&'static Self, ServerError> {
        self.folder.remove_at_exit()?;
        Ok(Box::leak(Box::new(self)))
    }

    /// Where clients find it.
    pub fn url(&self, vhost: &str) -> String {
        url_at(self.ports.port, vhost)
    }

    /// Its port on the loopback address.
    pub fn port(&self) -> u16 {
        self.ports.port
    }

    /// Kills it (`kill -9`).
    pub fn kill(&mut self) -> Result<(), ServerError> {
        match self.child.take() {
            Some(mut child) => child.kill(),
            None => Ok(()),
        }
    }

    /// Has it end by itself.
    pub async fn stop(&mut self) -> Result<(), ServerError> {
        let Some(mut child) = self.child.take() else {
            return Ok(());
        };
        if child.terminate(PATIENCE).await? {
            return Ok(());
        }
        Err(self.timed_out(&child, "gone"))
    }

    /// Starts it with what is in its folder, after it was killed or stopped.
    pub async fn start_again(&mut self) -> Result<(), ServerError> {
        if !Path::new(PROGRAM).exists() {
            return Err(ServerError::NotThere {
                program: PROGRAM.to_owned(),
                why: std::io::ErrorKind::NotFound.into(),
            });
        }
        self.write_cookie()
            .map_err(ServerError::io("the broker's cookie"))?;
        let mut child = Child::start("env", &self.args(), &self.folder)?;
        let until = Instant::now() + PATIENCE;
        loop {
            if let Some(status) = child.exited()? {
                self.folder.keep();
                let log = format!("{}\n{}", self.folder.tail(OUTPUT), self.folder.tail(LOG));
                return Err(ServerError::Exited {
                    command: child.command().to_owned(),
                    status,
                    folder: self.folder.path().to_owned(),
                    log,
                });
            }
            // It listens when the definitions are in.
            if TcpStream::connect(("127.0.0.1", self.ports.port))
                .await
                .is_ok()
            {
                break;
            }
            if Instant::now() >= until {
                self.folder.keep();
                return Err(self.timed_out(&child, "ready"));
            }
            tokio::time::sleep(PAUSE).await;
        }
        self.child = Some(child);
        Ok(())
    }

    /// Lets it stand still: it takes connections and answers nothing.
    pub fn pause(&self) -> Result<(), ServerError> {
        self.child.as_ref().map_or(Ok(()), Child::pause)
    }

    /// Lets it go on after [`pause`](Self::pause).
    pub fn resume(&self) -> Result<(), ServerError> {
        self.child.as_ref().map_or(Ok(()), Child::resume)
    }

    /// What `rabbitmqctl` prints for this command. It takes about a second.
    pub async fn ctl(&self, command: &[&str]) -> Result<String, ServerError> {
        let output = Command::new(CTL)
            .env_clear()
            .envs(self.environment())
            .args(["--quiet", "-n", NODE])
            .args(command)
            .output()
            .await
            .map_err(ServerError::io("rabbitmqctl"))?;
        if output.status.success() {
            return Ok(String::from_utf8_lossy(&output.stdout)
                .trim_end()
                .to_owned());
        }
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        Err(ServerError::io(format!(
            "rabbitmqctl {}",
            command.join(" ")
        ))(std::io::Error::other(said)))
    }

    fn write_cookie(&self) -> std::io::Result<()> {
        use std::os::unix::fs::PermissionsExt;
        let cookie = self.folder.path().join("home/.erlang.cookie");
        if cookie.exists() {
            return Ok(());
        }
        std::fs::write(&cookie, "ONLYFORTESTS")?;
        std::fs::set_permissions(&cookie, std::fs::Permissions::from_mode(0o400))
    }

    fn environment(&self) -> Vec<(&'static str, String)> {
        let at = |path: &str| self.folder.path().join(path).display().to_string();
        vec![
            ("PATH", "/usr/lib/rabbitmq/bin:/usr/bin:/bin".to_owned()),
            ("LANG", "C.UTF-8".to_owned()),
            ("HOME", at("home")),
            ("RABBITMQ_CONF_ENV_FILE", "/dev/null".to_owned()),
            ("RABBITMQ_NODENAME", NODE.to_owned()),
            ("ERL_EPMD_PORT", self.ports.epmd.to_string()),
            ("ERL_EPMD_ADDRESS", "127.0.0.1".to_owned()),
        ]
    }

    /// `env -i` with a clean environment. With it the script becomes the Erlang machine, so that
    /// our child is the broker itself.
    fn args(&self) -> Vec<String> {
        let at = |path: &str| self.folder.path().join(path).display().to_string();
        let loopback = "-kernel inet_dist_use_interface {127,0,0,1}";
        let mut variables = self.environment();
        variables.extend([
            ("RUNNING_UNDER_SYSTEMD", "true".to_owned()),
            ("RABBITMQ_NODE_IP_ADDRESS", "127.0.0.1".to_owned()),
            ("RABBITMQ_DIST_PORT", self.ports.dist.to_string()),
            ("RABBITMQ_SERVER_ADDITIONAL_ERL_ARGS", loopback.to_owned()),
            ("RABBITMQ_CONFIG_FILE", at("conf/rabbitmq")),
            ("RABBITMQ_ADVANCED_CONFIG_FILE", at("conf/advanced")),
            ("RABBITMQ_ENABLED_PLUGINS_FILE", at("conf/enabled_plugins")),
            ("RABBITMQ_GENERATED_CONFIG_DIR", at("conf/generated")),
            ("RABBITMQ_MNESIA_BASE", at("mnesia")),
            ("RABBITMQ_LOG_BASE", at("log")),
            ("RABBITMQ_PID_FILE", at("pid")),
        ]);
        let variables = variables
            .into_iter()
            .map(|(name, value)| format!("{name}={value}"));
        std::iter::once("-i".to_owned())
            .chain(variables)
            .chain([PROGRAM.to_owned()])
            .collect()
    }

    fn timed_out(&self, child: &Child, what: &'static str) -> ServerError {
        ServerError::TimedOut {
            command: child.command().to_owned(),
            what,
            within: PATIENCE,
            folder: self.folder.path().to_owned(),
            log: self.folder.tail(LOG),
        }
    }
}

/// The address of a virtual host of a broker, or of somebody who stands before it, at this port.
pub fn url_at(port: u16, vhost: &str) -> String {
    let password = PASSWORD.replace(' ', "%20");
    format!("amqp://{USER}:{password}@127.0.0.1:{port}/{vhost}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_broker_has_the_products_queues_when_it_answers_and_keeps_them() {
        let mut server = RabbitServer::start().await.unwrap();
        let queues = async |server: &RabbitServer| {
            let list = [
                "list_queues",
                "-p",
                VHOST,
                "--no-table-headers",
                "name",
                "type",
            ];
            server.ctl(&list).await.unwrap()
        };
        let before = queues(&server).await;
        assert!(before.contains("duskgate.night.03\tquorum"), "{before}");
        server.kill().unwrap();
        assert!(
            TcpStream::connect(("127.0.0.1", server.port()))
                .await
                .is_err()
        );
        server.start_again().await.unwrap();
        let after = queues(&server).await;
        assert_eq!(after.lines().count(), before.lines().count(), "{after}");
        server.stop().await.unwrap();
    }
}
