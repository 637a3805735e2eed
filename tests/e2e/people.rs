//! Scripted people: each types into the chats that a person has, and reads only those.

use serde_json::{Value, json};

use crate::site::{PATIENCE, Site, wait_for};

/// One line of a chat, as one person sees it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Heard {
    /// In which group; `None`: in the private chat with the bot.
    pub group: Option<u64>,
    /// Who said it.
    pub from: u64,
    /// What.
    pub text: String,
    /// Its place in what this person sees.
    pub seq: u64,
    /// The platform's name of it.
    pub message: i64,
}

/// The bot's own number, as people see it in their friend list.
pub fn bot(site: &Site, user: u64) -> u64 {
    site.get(&format!("/playground/api/users/{user}"))["bot"]
        .as_u64()
        .expect("the bot's number")
}

/// Makes people who are friends with the bot, or not.
pub fn make(site: &Site, people: &[(u64, &str, bool)]) {
    let users: Vec<Value> = people
        .iter()
        .map(|(id, nickname, friend)| json!({"id": id, "nickname": nickname, "friend": friend}))
        .collect();
    site.post("/playground/api/users", &json!({ "users": users }));
}

/// Makes a group in which the bot is an administrator.
pub fn make_group(site: &Site, id: u64, name: &str, owner: u64, members: &[u64]) {
    let group = json!({"id": id, "name": name, "owner": owner, "members": members, "bot": "admin"});
    site.post("/playground/api/groups", &group);
}

/// What one person types and reads.
#[derive(Debug, Clone)]
pub struct Person {
    /// Chat id.
    pub id: u64,
    /// Everything up to here has been looked at by `expect`.
    seen: u64,
}

impl Person {
    pub fn new(id: u64) -> Self {
        Self { id, seen: 0 }
    }

    /// Types privately to the bot.
    #[track_caller]
    pub fn whisper(&self, site: &Site, text: &str) -> Value {
        let path = format!("/playground/api/users/{}/send", self.id);
        site.post(&path, &json!({"scene": "private", "text": text}))
    }

    /// Types in a group.
    #[track_caller]
    pub fn say(&self, site: &Site, group: u64, text: &str) -> Value {
        let path = format!("/playground/api/users/{}/send", self.id);
        site.post(
            &path,
            &json!({"scene": "group", "peer": group, "text": text}),
        )
    }

    /// Types in a group, quoting a message.
    #[track_caller]
    pub fn reply(&self, site: &Site, group: u64, to: i64, text: &str) -> Value {
        let path = format!("/playground/api/users/{}/send", self.id);
        site.post(
            &path,
            &json!({"scene": "group", "peer": group, "text": text, "reply_to": to}),
        )
    }

    /// Asks to join a group.
    pub fn join(&self, site: &Site, group: u64) -> Value {
        let path = format!("/playground/api/users/{}/join", self.id);
        site.post(&path, &json!({ "group": group }))
    }

    /// Everything in this person's chats, oldest first.
    pub fn chats(&self, site: &Site) -> Vec<Heard> {
        self.try_chats(site, 0).expect("the chats can be read")
    }

    /// Chats after a place; `None` while the site is down.
    pub fn try_chats(&self, site: &Site, after: u64) -> Option<Vec<Heard>> {
        let mut all = Vec::new();
        let mut after = after;
        loop {
            let path = format!("/playground/api/users/{}/chats?after={after}", self.id);
            let (status, body) = site.try_get(&path)?;
            if status != 200 {
                return None;
            }
            let page: Vec<Heard> = body["chats"]
                .as_array()
                .or(body.as_array())?
                .iter()
                .map(heard)
                .collect();
            let Some(last) = page.last() else {
                return Some(all);
            };
            after = last.seq;
            all.extend(page);
        }
    }

    /// Waits until a new line, in private or in a group, contains all of these.
    #[track_caller]
    pub fn expect(&mut self, site: &Site, parts: &[&str]) -> Heard {
        let (began, mut shown) = (std::time::Instant::now(), false);
        let found = wait_for(&format!("{} to read {parts:?}", self.id), || {
            let new = self.try_chats(site, self.seen)?;
            let found = new
                .iter()
                .find(|h| parts.iter().all(|part| h.text.contains(part)));
            if found.is_none() && began.elapsed() > PATIENCE && !std::mem::replace(&mut shown, true)
            {
                let texts: Vec<&str> = new.iter().map(|h| h.text.as_str()).collect();
                eprintln!("{} has read since {}: {texts:#?}", self.id, self.seen);
            }
            found.cloned()
        });
        // One message may say several things.
        self.seen = found.seq - 1;
        found
    }

    /// Has this person ever read a line that contains this?
    pub fn has_read(&self, site: &Site, part: &str) -> bool {
        self.chats(site).iter().any(|h| h.text.contains(part))
    }

    /// Waits until this person has read a line that contains this, wherever and whenever.
    #[track_caller]
    pub fn must_have_read(&self, site: &Site, part: &str) {
        wait_for(&format!("{} to have read {part:?}", self.id), || {
            self.has_read(site, part).then_some(())
        });
    }
}

fn heard(line: &Value) -> Heard {
    let group = (line["scene"] == "group").then(|| number(&line["peer"]));
    Heard {
        group,
        from: number(&line["from"]),
        text: line["text"].as_str().unwrap_or_default().to_owned(),
        seq: number(&line["seq"]),
        message: line["message_id"].as_i64().unwrap_or_default(),
    }
}

fn number(value: &Value) -> u64 {
    value
        .as_u64()
        .or_else(|| value.as_str()?.parse().ok())
        .unwrap_or_default()
}
