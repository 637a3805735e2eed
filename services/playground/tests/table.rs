//! A visitor's table, with a scripted host at the other end of the wire: what the bots type, and
//! that a restart makes them neither forget nor repeat it.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails there")]

mod common;

use std::collections::{BTreeMap, BTreeSet};

use common::{DEADLINE, Stage, wait_for};
use serde_json::{Value, json};

const BOT: u64 = 9_000;

/// A visitor's table and the host's ways to speak at it.
struct Table<'s> {
    stage: &'s Stage,
    square: u64,
    director: u64,
    seats: Vec<(u64, String)>,
    you: Option<u64>,
    cookie: String,
}

impl<'s> Table<'s> {
    async fn lay(stage: &'s Stage, wanted: Value) -> Table<'s> {
        let request = stage
            .client()
            .post(stage.url("/playground/api/table"))
            .json(&wanted);
        let response = request.send().await.unwrap();
        assert_eq!(response.status(), 200);
        let cookie = response.headers()["set-cookie"].to_str().unwrap();
        assert!(
            cookie.contains("HttpOnly") && cookie.contains("SameSite=Strict"),
            "{cookie}"
        );
        let cookie = cookie.split(';').next().unwrap().to_owned();
        let table = response.json::<Value>().await.unwrap()["table"].clone();
        Self::of(stage, &table, cookie)
    }

    fn of(stage: &'s Stage, table: &Value, cookie: String) -> Table<'s> {
        let seat = |seat: &Value| {
            (
                seat["id"].as_u64().unwrap(),
                seat["name"].as_str().unwrap().to_owned(),
            )
        };
        Table {
            stage,
            square: table["square"].as_u64().unwrap(),
            director: table["director"]["id"].as_u64().unwrap(),
            seats: table["seats"]
                .as_array()
                .unwrap()
                .iter()
                .map(seat)
                .collect(),
            you: table["you"].as_u64(),
            cookie,
        }
    }

    async fn seen_again(stage: &'s Stage, cookie: String) -> Table<'s> {
        let request = stage.client().get(stage.url("/playground/api/table"));
        let response = request.header("cookie", &cookie).send().await.unwrap();
        let table = response.json::<Value>().await.unwrap()["table"].clone();
        Self::of(stage, &table, cookie)
    }

    /// The host speaks in the square.
    async fn announce(&self, text: &str) {
        let params = json!({"group_id": self.square, "message": text});
        self.stage.ingest.done("send_group_msg", params).await;
    }

    /// The host writes to somebody.
    async fn tell(&self, user: u64, text: &str) {
        let params = json!({"user_id": user, "message": text});
        self.stage.ingest.done("send_private_msg", params).await;
    }

    /// What was typed in the square, by whom.
    async fn square_lines(&self) -> Vec<(u64, String)> {
        let lines = self.stage.chats(self.director, 0).await;
        lines
            .iter()
            .filter(|line| line["scene"] == "group" && line["from"] != BOT)
            .map(|line| {
                (
                    line["from"].as_u64().unwrap(),
                    line["text"].as_str().unwrap().to_owned(),
                )
            })
            .collect()
    }

    /// Waits until the square's lines are as wanted.
    async fn square_has(&self, what: &str, fits: impl Fn(&[(u64, String)]) -> bool) {
        wait_for(what, DEADLINE, || async {
            fits(&self.square_lines().await).then_some(())
        })
        .await;
    }

    /// What somebody has typed in private, newest last.
    async fn typed(&self, user: u64) -> Vec<String> {
        let lines = self.stage.chats(user, 0).await;
        let own = lines
            .iter()
            .filter(|line| line["scene"] == "private" && line["own"] == true);
        own.map(|line| line["text"].as_str().unwrap().to_owned())
            .collect()
    }

    async fn typed_last(&self, user: u64, fits: impl Fn(&str) -> bool) {
        wait_for("a private line", DEADLINE, || async {
            let typed = self.typed(user).await;
            typed.last().filter(|text| fits(text)).map(drop)
        })
        .await;
    }

    async fn until_signed_up(&self) {
        self.square_has("the director's opening", |lines| {
            lines.first().is_some_and(|(from, text)| {
                *from == self.director && text.starts_with("开局 m158 日历=quick")
            })
        })
        .await;
        self.announce(
            "🎬 开局【鸣潮1】（第1局，鸣潮，14人，快局）\n发“报名”加入\n导演等人齐了发“发牌”。",
        )
        .await;
        self.square_has("all names", |lines| {
            self.seats
                .iter()
                .all(|(user, name)| lines.contains(&(*user, format!("报名 {name}"))))
        })
        .await;
    }

    async fn until_dealt(&self) {
        self.tell(self.director, "【鸣潮1】14人齐了，可以“发牌”。")
            .await;
        self.square_has("the deal", |lines| {
            lines.contains(&(self.director, "发牌".into()))
        })
        .await;
        let seats = (1..)
            .zip(&self.seats)
            .map(|(n, (_, name))| format!("{n}号 {name}\n"));
        let seats: String = seats.collect();
        self.announce(&format!(
            "🃏【鸣潮1】发牌了，身份已经私聊给每个人。座次：\n{seats}"
        ))
        .await;
        self.square_has("the start", |lines| {
            lines.contains(&(self.director, "开始".into()))
        })
        .await;
        self.announce("🎬 开局了，有开局技能的请私聊我。").await;
    }

    fn bots(&self) -> impl Iterator<Item = u64> {
        self.seats
            .iter()
            .map(|(user, _)| *user)
            .filter(|user| Some(*user) != self.you)
    }
}

fn votes(lines: &[(u64, String)]) -> BTreeMap<u64, Vec<String>> {
    let mut votes: BTreeMap<u64, Vec<String>> = BTreeMap::new();
    for (from, text) in lines {
        if let Some(rest) = text.strip_prefix("投票对象：") {
            let (target, reason) = rest
                .split_once("\n投票理由：")
                .expect("the prescribed form");
            assert!(!reason.is_empty());
            votes.entry(*from).or_default().push(target.to_owned());
        }
    }
    votes
}

#[tokio::test(flavor = "multi_thread")]
async fn a_table_fills_and_the_bots_talk_and_vote() {
    let stage = Stage::fast(100.0).await;
    let table = Table::lay(&stage, json!({"name": "小白", "pace": "rapid", "seed": 7})).await;
    assert_eq!(table.seats.len(), 14);
    assert_eq!(
        table
            .seats
            .last()
            .map(|(user, name)| (Some(*user), name.as_str())),
        Some((table.you, "小白"))
    );
    table.until_signed_up().await;
    table.until_dealt().await;
    table
        .announce("📋 第1天公示\n昨晚出局：无，平安夜\n☀️ 第1天开门，请发言、按格式投票：")
        .await;
    let bots: BTreeSet<u64> = table.bots().collect();
    table
        .square_has("every bot's vote", |lines| {
            votes(lines).keys().copied().eq(bots.iter().copied())
        })
        .await;
    table
        .square_has("enough posts of every bot", |lines| {
            bots.iter()
                .all(|bot| lines.iter().filter(|(from, _)| from == bot).count() >= 6)
        })
        .await;
    let lines = table.square_lines().await;
    let names: BTreeSet<&str> = table.seats.iter().map(|(_, name)| name.as_str()).collect();
    for (bot, targets) in votes(&lines) {
        let own = &table.seats.iter().find(|(user, _)| *user == bot).unwrap().1;
        assert_eq!(targets.len(), 1);
        assert!(names.contains(targets[0].as_str()) && targets[0] != *own);
    }
    let typed_by_you = lines
        .iter()
        .filter(|(from, _)| Some(*from) == table.you)
        .count();
    assert_eq!(typed_by_you, 1, "the visitor is signed up and left alone");
    table.announce("🏁 游戏结束，狼人阵营胜利！").await;
    wait_for("the table to be cleared", DEADLINE, || async {
        let request = stage.client().get(stage.url("/playground/api/table"));
        let response = request
            .header("cookie", &table.cookie)
            .send()
            .await
            .unwrap();
        let shown = response.json::<Value>().await.unwrap();
        (shown["table"]["over"] == true).then_some(())
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_refused_vote_is_cast_for_another() {
    let stage = Stage::fast(100.0).await;
    let table = Table::lay(&stage, json!({"part": "watch", "pace": "rush", "seed": 3})).await;
    table.until_signed_up().await;
    table.until_dealt().await;
    table
        .announce("⭐ 警长竞选：请按格式投票，得票最多者当选。")
        .await;
    let first = table.seats[0].0;
    let vote = wait_for("a vote", DEADLINE, || async {
        let lines = stage.chats(first, 0).await;
        lines.into_iter().find(|line| {
            line["own"] == true && line["text"].as_str().unwrap().starts_with("投票对象")
        })
    })
    .await;
    let refusal = json!({"group_id": table.square, "message": [
        {"type": "reply", "data": {"id": vote["message_id"].to_string()}},
        {"type": "text", "data": {"text": "现在不能投，请换一个人。"}},
    ]});
    stage.ingest.done("send_group_msg", refusal).await;
    table
        .square_has("a second vote", |lines| votes(lines)[&first].len() == 2)
        .await;
    let cast = votes(&table.square_lines().await).remove(&first).unwrap();
    assert_ne!(cast[0], cast[1]);
}

#[tokio::test(flavor = "multi_thread")]
async fn bots_use_their_skills_and_join_their_groups() {
    let stage = Stage::fast(100.0).await;
    let table = Table::lay(&stage, json!({"part": "watch", "pace": "rush", "seed": 3})).await;
    table.until_signed_up().await;
    table.until_dealt().await;
    let (seer, seer_name) = table.seats[0].clone();
    let other = &table.seats[1].1;
    table.announce("🌙 第1夜 · 入夜。").await;
    table.tell(seer, "现在可以用：预言，截止 21:05。").await;
    table.typed_last(seer, |text| text == "我").await;
    let status = format!(
        "1号 {seer_name}｜预言家｜村民阵营\n状态：无\n预言｜∞｜{seer_name}、{other}｜21:05"
    );
    table.tell(seer, &status).await;
    table
        .typed_last(seer, |text| text == format!("预言 {other}"))
        .await;
    let wolf = table.seats[2].0;
    table
        .tell(wolf, "鸣潮1：你的私密群「狼群」群号是 700001。请申请加入。")
        .await;
    let asks = |event: &Value| event["request_type"] == "group";
    let request = stage.ingest.event("a request", asks).await;
    assert_eq!(
        (&request["user_id"], &request["group_id"]),
        (&json!(wolf), &json!(700_001))
    );
    stage
        .ingest
        .done(
            "set_group_add_request",
            json!({"flag": request["flag"], "approve": true}),
        )
        .await;
    let kill = format!(
        "3号 {}｜狼人｜狼人阵营\n状态：无\n杀人｜∞｜{other}｜21:05",
        table.seats[2].1
    );
    table.tell(wolf, "现在可以用：杀人，截止 21:05。").await;
    table.typed_last(wolf, |text| text == "我").await;
    table.tell(wolf, &kill).await;
    stage.ingest.heard(&format!("杀人 {other}")).await;
    let heard = stage.ingest.heard(&format!("杀人 {other}")).await;
    assert_eq!(
        heard["group_id"], 700_001,
        "the pack's kill is typed in the pack's group"
    );
    table
        .tell(
            seer,
            "你出局了。\n你可以留遗言：发“遗言 ……”，下次开门时公示。",
        )
        .await;
    table
        .typed_last(seer, |text| text.starts_with("遗言 "))
        .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn bots_that_start_anew_forget_nothing_and_repeat_nothing() {
    let stage = Stage::fast(100.0).await;
    let table = Table::lay(&stage, json!({"part": "watch", "pace": "rapid", "seed": 5})).await;
    table.until_signed_up().await;
    table.until_dealt().await;
    table.announce("☀️ 第1天开门，请发言、按格式投票：").await;
    table
        .square_has("some talk", |lines| lines.len() > 40)
        .await;
    let cookie = table.cookie.clone();
    let stage = stage.restart().await;
    let table = Table::seen_again(&stage, cookie).await;
    table
        .square_has("every vote", |lines| votes(lines).len() == 14)
        .await;
    table
        .square_has("enough posts", |lines| {
            table
                .bots()
                .all(|bot| lines.iter().filter(|(from, _)| *from == bot).count() >= 6)
        })
        .await;
    let lines = table.square_lines().await;
    assert!(votes(&lines).values().all(|cast| cast.len() == 1));
    let signed_up = lines
        .iter()
        .filter(|(_, text)| text.starts_with("报名"))
        .count();
    assert_eq!(signed_up, 14);
    let directing: Vec<&str> = lines
        .iter()
        .filter(|(from, _)| *from == table.director)
        .map(|(_, text)| text.as_str())
        .collect();
    assert_eq!(directing.len(), 3, "{directing:?}");
    for bot in table.bots() {
        let said: Vec<&String> = lines
            .iter()
            .filter(|(from, _)| *from == bot)
            .map(|(_, text)| text)
            .collect();
        assert!(said.len() <= 7, "{said:?}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_director_hurries_only_when_told_to() {
    let stage = Stage::fast(100.0).await;
    let table = Table::lay(&stage, json!({"part": "solo", "pace": "manual", "seed": 1})).await;
    wait_for("the opening", DEADLINE, || async {
        let lines = table.square_lines().await;
        lines
            .first()
            .filter(|(_, text)| text.starts_with("开局 m158 日历=manual"))
            .map(drop)
    })
    .await;
    table.announce("🎬 开局【鸣潮1】").await;
    table
        .square_has("all names", |lines| lines.len() == 15)
        .await;
    table.until_dealt().await;
    table.announce("🌙 第1夜 · 入夜。").await;
    table.announce("☀️ 第1天开门").await;
    let next = stage
        .client()
        .post(stage.url("/playground/api/table/next"))
        .header("cookie", &table.cookie)
        .json(&json!({}));
    assert_eq!(next.send().await.unwrap().status(), 200);
    assert_eq!(table.typed(table.director).await, ["下一步"]);
    assert_eq!(
        table.square_lines().await.len(),
        17,
        "alone means that nobody else types"
    );
    let end = stage
        .client()
        .post(stage.url("/playground/api/table/end"))
        .header("cookie", &table.cookie)
        .json(&json!({}));
    assert_eq!(end.send().await.unwrap().status(), 200);
    assert_eq!(table.typed(table.director).await, ["下一步", "结束"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn the_page_and_its_files_are_served() {
    let stage = Stage::new().await;
    let page = stage.client().get(stage.url("/")).send().await.unwrap();
    assert_eq!(page.status(), 200);
    let policy = page.headers()["content-security-policy"]
        .to_str()
        .unwrap()
        .to_owned();
    assert!(
        policy.contains("default-src 'none'") && !policy.contains("unsafe"),
        "{policy}"
    );
    let tag = page.headers()["etag"].clone();
    let text = page.text().await.unwrap();
    for file in text
        .split('"')
        .filter(|part| part.starts_with("/playground/"))
    {
        let reply = stage.client().get(stage.url(file)).send().await.unwrap();
        assert_eq!(reply.status(), 200, "{file}");
    }
    assert!(
        !text.contains("style=") && !text.contains("onclick"),
        "the policy forbids inline code"
    );
    let again = stage
        .client()
        .get(stage.url("/"))
        .header("if-none-match", tag);
    assert_eq!(again.send().await.unwrap().status(), 304);
    assert_eq!(stage.get("/playground/nothing.js").await.status, 404);
    assert_eq!(stage.get("/playground/..%2fCargo.toml").await.status, 404);
}
