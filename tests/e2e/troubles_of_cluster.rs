//! What a cluster's surroundings do to it: networks that misbehave, a broker that hands over
//! everything again, messages that nobody can handle, servers that are absent, closed or full.

use std::collections::VecDeque;
use std::time::Duration;

use bus::Outgoing;
use cluster::{Chat, Cluster, Plan};
use futures::StreamExt;
use lapin::message::Delivery;
use lapin::options::{
    BasicConsumeOptions, BasicPublishOptions, QueueBindOptions, QueueDeclareOptions,
};
use lapin::types::FieldTable;
use lapin::{Channel, Connection, ConnectionProperties, Consumer};
use protocol::{Message, MessageId, Service, Shard, Topic};
use servers::proxy::Mender;
use servers::rabbit::{PASSWORD, USER, VHOST};
use tokio::sync::oneshot;
use tokio::task::JoinHandle;

use crate::cluster_site::ClusterSite;
use crate::game::{DIRECTOR, SQUARE, Table, said};
use crate::people::{Person, bot};
use crate::side::{At, Ear, Platform, TOKEN};
use crate::site::{Site, wait_for};
use crate::whole_game::{check, play};

/// For so long a network is out of order at a time.
const OUTAGE: Duration = Duration::from_millis(400);

#[test]
fn a_network_that_misbehaves_is_no_more_than_a_delay() {
    let plan = Plan {
        proxies: true,
        ..ClusterSite::plan(&[])
    };
    let mut troubles = 0_u32;
    {
        let site = Site::on(ClusterSite::start(plan));
        let misbehave = |site: &mut Site, _: &str| {
            troubles += 1;
            trouble(site.cluster(), troubles);
        };
        let played = play(Table::new(site, Box::new(misbehave)));
        check(&played);
        played.table.site.assert_sound();
    }
    println!("{troubles} cuts, delays and stalls, and everybody read what they should have, once");
    assert!(troubles > 80, "{troubles}");
}

/// Cuts, holds up or slows down the way to Redis or to the broker, for a while.
fn trouble(site: &mut ClusterSite, nth: u32) {
    let network = site.parts().network().expect("the network can misbehave");
    let proxy = if nth.is_multiple_of(2) {
        &network.redis
    } else {
        &network.broker
    };
    match nth % 5 {
        0 => proxy.stall(),
        1 => proxy.refuse(),
        2 => proxy.delay(Duration::from_millis(25)),
        _ => proxy.cut(),
    }
    let mended = [network.redis.mender(), network.broker.mender()];
    site.runtime().spawn(async move {
        tokio::time::sleep(OUTAGE).await;
        mended.iter().for_each(Mender::mend);
    });
}

#[test]
fn messages_that_come_again_and_again_change_nothing() {
    let mut site = Site::on(ClusterSite::start(ClusterSite::plan(&[])));
    let echo = Echo::start(site.cluster());
    let mut played = play(Table::new(site, Box::new(|_, _| {})));
    check(&played);
    let again = echo.stop(played.table.site.cluster());
    println!("{again} messages came again, and everybody read everything once");
    assert!(again > 1_000, "{again}");
    played.table.site.assert_well();
}

/// Hears everything that goes through the broker, and hands all of it over again: at once, and
/// once more when many others have gone by.
struct Echo {
    stop: oneshot::Sender<()>,
    echoing: JoinHandle<lapin::Result<u32>>,
}

impl Echo {
    /// So many others go by before a message comes a third time.
    const LATE: usize = 60;

    fn start(site: &mut ClusterSite) -> Self {
        let url = site.parts().broker.url(VHOST);
        let (channel, heard) = site
            .runtime()
            .block_on(listen(&url))
            .expect("the broker lets us listen");
        let (stop, stopped) = oneshot::channel();
        let echoing = site.runtime().spawn(echo(channel, heard, stopped));
        Self { stop, echoing }
    }

    /// How many it has handed over.
    fn stop(self, site: &ClusterSite) -> u32 {
        // When it has ended by itself, its result says why.
        let _ = self.stop.send(());
        let echoed = site.runtime().block_on(self.echoing);
        echoed.expect("no panic").expect("the broker took all")
    }
}

/// A queue of ours gets a copy of every message.
async fn listen(url: &str) -> lapin::Result<(Channel, Consumer)> {
    let connection = Connection::connect(url, ConnectionProperties::default()).await?;
    let channel = connection.create_channel().await?;
    let ours = QueueDeclareOptions {
        exclusive: true,
        auto_delete: true,
        ..QueueDeclareOptions::default()
    };
    let queue = channel
        .queue_declare("".into(), ours, FieldTable::default())
        .await?;
    for service in Service::ALL {
        for shard in Shard::all() {
            let key = format!("{service}.{shard}");
            let bind = QueueBindOptions::default();
            channel
                .queue_bind(
                    queue.name().clone(),
                    "duskgate".into(),
                    key.into(),
                    bind,
                    FieldTable::default(),
                )
                .await?;
        }
    }
    let consume = BasicConsumeOptions {
        no_ack: true,
        ..BasicConsumeOptions::default()
    };
    let heard = channel
        .basic_consume(
            queue.name().clone(),
            "echo".into(),
            consume,
            FieldTable::default(),
        )
        .await?;
    // The connection lives as long as its channel.
    Ok((channel, heard))
}

async fn echo(
    channel: Channel,
    mut heard: Consumer,
    mut stopped: oneshot::Receiver<()>,
) -> lapin::Result<u32> {
    let (mut late, mut echoed) = (VecDeque::new(), 0);
    loop {
        let delivery = tokio::select! {
            delivery = heard.next() => delivery,
            _ = &mut stopped => return Ok(echoed),
        };
        let Some(delivery) = delivery.transpose()? else {
            return Ok(echoed);
        };
        say_again(&channel, &delivery).await?;
        late.push_back(delivery);
        echoed += 1;
        if late.len() > Echo::LATE
            && let Some(delivery) = late.pop_front()
        {
            say_again(&channel, &delivery).await?;
            echoed += 1;
        }
    }
}

/// Straight into its queue, past the exchange that would let us hear it again.
async fn say_again(channel: &Channel, delivery: &Delivery) -> lapin::Result<()> {
    let queue = format!("duskgate.{}", delivery.routing_key);
    channel
        .basic_publish(
            "".into(),
            queue.into(),
            BasicPublishOptions::default(),
            &delivery.data,
            delivery.properties.clone(),
        )
        .await?;
    Ok(())
}

/// An account is connected to two bridges, either of which is killed again and again, also while
/// it speaks at a moderate pace. Each question is answered once.
#[test]
fn two_bridges_of_one_account_speak_with_one_voice() {
    let users: Vec<u64> = (30_001..30_061).collect();
    let mut friends = users.clone();
    friends.push(DIRECTOR);
    let platform = Platform::new(&friends, &[SQUARE, 700_001, 700_002]);
    let token = ("DUSKGATE_ONEBOT_ACCESS_TOKEN".to_owned(), TOKEN.to_owned());
    let mut site = ClusterSite::start(Plan {
        instances: 2,
        chat: Chat::Real,
        variables: vec![token],
        ..ClusterSite::plan(&[
            "onebot.messages_per_minute=600",
            &format!("directors.users={DIRECTOR}"),
            "groups.pool=700001,700002",
        ])
    });
    let bridges = site.parts().of(cluster::Service::Ingest);
    let doors = bridges.map(|bridge| {
        let address = bridge.address();
        format!("ws://{address}/onebot/v11/ws")
    });
    platform.stay_connected(&doors.collect::<Vec<_>>());
    wait_for("one of them to listen", || {
        site.log().contains("caught up with chat").then_some(())
    });
    let mut square = Ear::new(At::Group(SQUARE));
    platform.say(At::Group(SQUARE), DIRECTOR, "开局 m158 日历=manual");
    square.expect(&platform, &["报名"]);
    let answered = |user: u64| platform.said(At::Private(user)).len();
    for (nth, user) in users.iter().enumerate() {
        // Fourteen are let in, and the others told that all seats are taken.
        platform.say(At::Private(*user), *user, &format!("报名 {user}"));
        if nth % 5 == 4 {
            // Some have been answered; the others are for whoever speaks next.
            wait_for("an answer", || (answered(users[nth - 4]) > 0).then_some(()));
            site.bounce(cluster::Service::Ingest, nth / 5 % 2);
        }
    }
    let site = Site::on(site);
    for user in &users {
        wait_for(&format!("{user} to be answered"), || {
            (answered(*user) > 0).then_some(())
        });
    }
    // Whatever is said twice is said before this.
    platform.say(At::Private(users[0]), users[0], "退出");
    wait_for("one more answer", || (answered(users[0]) > 1).then_some(()));
    let often = users[1..].iter().filter(|user| answered(**user) != 1);
    assert_eq!(often.collect::<Vec<_>>(), Vec::<&u64>::new());
    assert_eq!(answered(users[0]), 2);
    platform.assert_well_behaved();
    site.assert_well();
}

#[test]
fn a_message_that_nobody_can_handle_is_put_aside_and_the_director_told() {
    let site = Site::on(ClusterSite::start(ClusterSite::plan(&[])));
    let mut table = Table::new(site, Box::new(|_, _| {}));
    table.deal("开局 m158 日历=manual");
    let game = "9000-1";
    let poison = |service: Service| {
        Outgoing::first(Message {
            id: MessageId(format!("poison/{service}")),
            trace: "poison".to_owned(),
            to: Topic {
                service,
                shard: Shard::of(game),
            },
            key: game.to_owned(),
            body: r#"{"no":"such thing"}"#.to_owned(),
        })
    };
    let url = table.site.cluster().parts().broker.url(VHOST);
    let runtime = table.site.cluster().runtime().handle().clone();
    let bus = runtime.block_on(async {
        let bus = bus::open(&url, std::path::Path::new(""))
            .await
            .expect("a bus");
        let poisons = [Service::Night, Service::Tally, Service::Publish].map(poison);
        let receipts = bus.publish(poisons.into()).await.expect("taken");
        for receipt in receipts {
            receipt.await.expect("confirmed");
        }
        bus
    });
    table.director.expect(&table.site, &["没能处理", "状态"]);
    // The game goes on, in all three.
    table.order("开始");
    table.public(&["开局了"]);
    table.order_in_private("下一步");
    table.public(&["第1夜", "入夜"]);
    wait_for("all three to be counted", || {
        let dead = table.site.metric("duskgate_dead_letters_total", "");
        (dead >= 3.0).then_some(())
    });
    for service in [Service::Night, Service::Tally, Service::Publish] {
        let letters = runtime
            .block_on(bus.dead_letters(service))
            .expect("the dead letters can be read");
        let [letter] = letters.as_slice() else {
            panic!("one dead letter of {service}: {letters:?}");
        };
        assert_eq!(letter.message.id.0, format!("poison/{service}"));
        assert!(letter.reason.contains("cannot be read"), "{letter:?}");
    }
    let bot = bot(&table.site, DIRECTOR);
    let told = || said(&Person::new(DIRECTOR), &table.site, bot, "没能处理");
    wait_for("the director to hear of tally's, too", || {
        (told() > 1).then_some(())
    });
    assert_eq!(told(), 2, "of night's and of tally's, once each");
    let stuck = |service: &str| table.site.metric("duskgate_stuck_games", service) > 0.0;
    wait_for("the game to show as stuck", || {
        (stuck("night") && stuck("tally")).then_some(())
    });
}

/// Broker and Redis come minutes after the services, as far as these can tell.
#[test]
fn a_broker_and_a_redis_that_come_later_are_waited_for() {
    let runtime = tokio::runtime::Runtime::new().expect("a runtime");
    let mut cluster = runtime
        .block_on(Cluster::start_servers(ClusterSite::plan(&[])))
        .expect("the servers start");
    cluster.broker.kill().expect("the broker can be killed");
    cluster.redis.kill().expect("Redis can be killed");
    for process in cluster.processes_mut() {
        process.start().expect("it starts");
    }
    // All say what they wait for, and are alive.
    for process in cluster.processes() {
        let (health, ready) = wait_for(&format!("{process} to answer"), || {
            runtime.block_on(async {
                let health = process.get("/healthz").await.ok()?;
                Some((health.0, process.get("/readyz").await.ok()?))
            })
        });
        assert_eq!(health, 200, "{process}");
        let (status, said) = ready;
        assert_eq!(status, 503, "{process}: {said}");
        assert!(said.contains("redis at"), "{process}: {said}");
        let log = process.log();
        assert!(log.contains("waiting for the store"), "{process}: {log}");
    }
    runtime
        .block_on(cluster.redis.start_again())
        .expect("Redis starts");
    for process in cluster.processes() {
        wait_for(&format!("{process} to miss nothing but the broker"), || {
            let (status, said) = runtime.block_on(process.get("/readyz")).ok()?;
            let broker = said.contains("cannot be reached") && !said.contains("redis at");
            (status == 503 && broker).then_some(())
        });
    }
    runtime
        .block_on(cluster.broker.start_again())
        .expect("the broker starts");
    runtime
        .block_on(cluster.ready(crate::site::PATIENCE))
        .expect("all are ready");
    let mut table = Table::new(
        Site::on(ClusterSite::of(cluster, runtime)),
        Box::new(|_, _| {}),
    );
    table.deal("开局 m158 日历=manual");
    table.site.stop();
}

/// Health says, in some process or in all, that something is wrong, in one of these words.
#[track_caller]
fn told(site: &Site, all: bool, words: &[&str]) {
    wait_for(&format!("health to say {words:?}"), || {
        let pages = site.pages("/readyz");
        let tells = |(status, said): &(u16, String)| {
            *status == 503 && words.iter().any(|word| said.contains(word))
        };
        let told = if all {
            pages.iter().all(tells)
        } else {
            pages.iter().any(tells)
        };
        told.then_some(())
    });
}

#[test]
fn a_redis_that_is_full_or_closed_is_told_of_and_waited_for() {
    let site = Site::on(ClusterSite::start(ClusterSite::plan(&[])));
    let mut table = Table::new(site, Box::new(|_, _| {}));
    table.deal("开局 m158 日历=manual");
    let redis = |table: &mut Table, command: &[&str]| table.site.cluster().redis(command);
    redis(&mut table, &["config", "set", "maxmemory", "1"]);
    told(&table.site, true, &["memory"]);
    redis(&mut table, &["config", "set", "maxmemory", "0"]);
    table.site.assert_sound();
    table.order("开始");
    table.public(&["开局了"]);

    redis(&mut table, &["config", "set", "requirepass", "new"]);
    redis(
        &mut table,
        &["-a", "new", "client", "kill", "type", "normal"],
    );
    told(&table.site, true, &["password"]);
    redis(
        &mut table,
        &["-a", "new", "config", "set", "requirepass", ""],
    );
    table.site.assert_sound();
    table.order_in_private("下一步");
    table.public(&["第1夜", "入夜"]);
    table.site.stop();
}

#[test]
fn a_broker_that_is_full_or_closed_is_told_of_and_waited_for() {
    let site = Site::on(ClusterSite::start(ClusterSite::plan(&[])));
    let mut table = Table::new(site, Box::new(|_, _| {}));
    table.deal("开局 m158 日历=manual");
    let broker = |table: &mut Table, command: &[&str]| table.site.cluster().broker(command);
    let limit = "set_vm_memory_high_watermark";
    broker(&mut table, &[limit, "absolute", "1"]);
    table.order("开始");
    told(&table.site, false, &["block", "memory"]);
    broker(&mut table, &[limit, "absolute", "512MB"]);
    table.public(&["开局了"]);
    table.site.assert_sound();

    broker(&mut table, &["change_password", USER, "another"]);
    let all = ["close_all_connections", "-p", VHOST, "a test"];
    broker(&mut table, &all);
    told(&table.site, true, &["password"]);
    broker(&mut table, &["change_password", USER, PASSWORD]);
    table.site.assert_sound();
    table.order_in_private("下一步");
    table.public(&["第1夜", "入夜"]);
    table.site.stop();
}
