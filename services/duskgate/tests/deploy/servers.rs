//! Broker and Redis as containers start them.

use std::fs;
use std::path::Path;
use std::time::Duration;

use servers::{Child, Folder, OUTPUT, free_ports, wait_for};

use crate::{shipped, text};

/// A start of the broker takes seconds, on a busy machine many.
const PATIENCE: Duration = Duration::from_secs(120);
const PASSWORD: &str = "between-dusk-and-dawn";
const BROKER: &str = "/usr/lib/rabbitmq/bin/rabbitmq-server";

/// Shipped settings at a place of the test's own.
fn moved(settings: &str, places: &[(&str, &str)]) -> String {
    let mut settings = text(settings);
    for (from, to) in places {
        assert!(settings.contains(from), "{settings}");
        settings = settings.replace(from, to);
    }
    settings
}

fn words(words: &[&str]) -> Vec<String> {
    words.iter().map(ToString::to_string).collect()
}

/// Starts one with `start.sh`, which becomes it.
fn start(folder: &Folder, script: &str, settings: &str, run: &Path, command: Vec<String>) -> Child {
    let password = folder.path().join("password");
    fs::write(&password, format!("{PASSWORD}\n")).unwrap();
    let script = shipped(script).display().to_string();
    let mut arguments = words(&[
        &script,
        &password.display().to_string(),
        settings,
        &run.display().to_string(),
    ]);
    arguments.extend(command);
    Child::start("sh", &arguments, folder).unwrap()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_broker_lets_our_user_in_and_nobody_else_and_has_our_queues() {
    let folder = Folder::new("container-broker").unwrap();
    let at = |path: &str| folder.path().join(path).display().to_string();
    for name in ["home", "conf/conf.d"] {
        fs::create_dir_all(folder.path().join(name)).unwrap();
    }
    let ports = free_ports(3).unwrap();
    let (port, distribution, mapper) = (ports[0], ports[1].to_string(), ports[2].to_string());
    let listen = format!("listeners.tcp.default = 127.0.0.1:{port}");
    let run = at("run/definitions");
    let places = [
        ("listeners.tcp.default = 5672", &*listen),
        ("/run/duskgate/definitions", &*run),
    ];
    fs::write(at("conf/rabbitmq.conf"), text("rabbitmq/rabbitmq.conf")).unwrap();
    let own = moved("rabbitmq/container.conf", &places);
    fs::write(at("conf/conf.d/90-duskgate.conf"), own).unwrap();
    fs::write(at("conf/enabled_plugins"), "[].").unwrap();
    let _mapper = Child::start(
        "epmd",
        &words(&["-port", &mapper, "-address", "127.0.0.1"]),
        &folder,
    )
    .unwrap();
    let variables = [
        ("PATH", "/usr/lib/rabbitmq/bin:/usr/bin:/bin".to_owned()),
        ("LANG", "C.UTF-8".to_owned()),
        ("HOME", at("home")),
        ("RUNNING_UNDER_SYSTEMD", "true".to_owned()),
        ("RABBITMQ_CONF_ENV_FILE", "/dev/null".to_owned()),
        ("RABBITMQ_NODENAME", "rabbit@localhost".to_owned()),
        ("RABBITMQ_DIST_PORT", distribution),
        ("ERL_EPMD_PORT", mapper),
        ("ERL_EPMD_ADDRESS", "127.0.0.1".to_owned()),
        (
            "RABBITMQ_SERVER_ADDITIONAL_ERL_ARGS",
            "-kernel inet_dist_use_interface {127,0,0,1}".to_owned(),
        ),
        ("RABBITMQ_CONFIG_FILE", at("conf/rabbitmq")),
        ("RABBITMQ_CONFIG_FILES", at("conf/conf.d")),
        ("RABBITMQ_ADVANCED_CONFIG_FILE", at("conf/advanced")),
        ("RABBITMQ_ENABLED_PLUGINS_FILE", at("conf/enabled_plugins")),
        ("RABBITMQ_GENERATED_CONFIG_DIR", at("conf/generated")),
        ("RABBITMQ_MNESIA_BASE", at("mnesia")),
        ("RABBITMQ_LOG_BASE", at("log")),
        ("RABBITMQ_PID_FILE", at("pid")),
    ];
    let mut command = words(&["env", "-i"]);
    command.extend(variables.map(|(name, value)| format!("{name}={value}")));
    command.push(BROKER.to_owned());
    let definitions = shipped("rabbitmq/definitions.json").display().to_string();
    let script = "rabbitmq/start.sh";
    let _broker = start(&folder, script, &definitions, Path::new(&run), command);

    let open = async |user: &str, password: &str| {
        let url = format!("amqp://{user}:{password}@127.0.0.1:{port}/duskgate");
        bus::open(&url, Path::new("nowhere")).await.unwrap()
    };
    let bus = open("duskgate", PASSWORD).await;
    wait_for("our user to be let in", PATIENCE, async || {
        bus.health().await.ok()
    })
    .await;
    for (user, password) in [("duskgate", "wrong"), ("guest", "guest")] {
        let bus = open(user, password).await;
        wait_for("others to be refused", PATIENCE, async || {
            let why = bus.health().await.err()?.to_string();
            why.contains("refuses user").then_some(())
        })
        .await;
    }
    let wanted = lapin::options::QueueDeclareOptions {
        passive: true,
        ..Default::default()
    };
    let url = format!("amqp://duskgate:{PASSWORD}@127.0.0.1:{port}/duskgate");
    let connection = lapin::Connection::connect(&url, lapin::ConnectionProperties::default());
    let connection = connection.await.unwrap();
    for service in protocol::Service::ALL {
        let channel = connection.create_channel().await.unwrap();
        for queue in [
            format!("duskgate.{service}.00"),
            format!("duskgate.{service}.15"),
            format!("duskgate.dead.{service}"),
        ] {
            let there =
                channel.queue_declare(queue.into(), wanted, lapin::types::FieldTable::default());
            there.await.unwrap();
        }
    }
}

#[tokio::test]
async fn redis_wants_the_password_and_keeps_what_it_acknowledges() {
    let folder = Folder::new("container-redis").unwrap();
    let port = free_ports(1).unwrap()[0];
    let own = moved(
        "redis/redis.conf",
        &[("\nport 6379", &format!("\nport {port}"))],
    );
    let settings = folder.path().join("shipped.conf");
    fs::write(&settings, own).unwrap();
    let settings = settings.display().to_string();
    let run = folder.path().join("run");
    let command = words(&["redis-server"]);
    let _redis = start(&folder, "redis/start.sh", &settings, &run, command);
    let url = format!("redis://:{PASSWORD}@127.0.0.1:{port}");
    // It is refused where Redis is less durable than it must be.
    let store = store::open(&url).await.unwrap();
    wait_for("the store", PATIENCE, async || store.health().await.ok()).await;
    let store = store::open(&format!("redis://127.0.0.1:{port}"))
        .await
        .unwrap();
    let why = store.health().await.unwrap_err().to_string();
    assert!(why.contains("password"), "{why}\n{}", folder.tail(OUTPUT));
    let log = folder.tail(OUTPUT);
    assert!(!log.contains(PASSWORD), "{log}");
}
