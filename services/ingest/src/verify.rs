//! Was it sent? A look into history after an unclear outcome.

use onebot::{ChatMessage, Message};
use protocol::{MessageRef, Part, Send};

use crate::account::After;

/// The own message in a history that is this send's: the first one with its text, after the
/// place where the scene stood when the send was taken, that is not known to be another's.
pub(crate) fn find(
    send: &Send,
    after: &After,
    others: &[MessageRef],
    history: &[ChatMessage],
) -> Option<MessageRef> {
    let wanted = bare(&sent_text(send));
    history
        .iter()
        .filter(|message| message.own && message.time >= after.secs)
        .filter(|message| match (message.seq, after.seq) {
            (Some(seq), Some(after)) => seq > after,
            _ => true,
        })
        .filter(|message| bare(&message.message.plain_text()) == wanted)
        .map(|message| MessageRef(message.id.to_string()))
        .find(|name| !after.said.contains(name) && !others.contains(name))
}

fn sent_text(send: &Send) -> String {
    send.parts
        .iter()
        .filter_map(|part| match part {
            Part::Text(text) => Some(text.as_str()),
            Part::At(_) | Part::Reply(_) => None,
        })
        .collect()
}

/// A text without what the platform may change on the way.
fn bare(text: &str) -> String {
    chat::clean(text).split_whitespace().collect()
}

/// The message that a send becomes, in its scene. Quotes and mentions exist in groups only: a
/// private text that quotes could name a message of another scene.
pub(crate) fn message(send: &Send) -> Message {
    let in_group = matches!(send.scene, protocol::Scene::Group(_));
    let segments = send
        .parts
        .iter()
        .enumerate()
        .filter_map(|(at, part)| match part {
            Part::Text(text) => Some(onebot::Segment::text(text.clone())),
            Part::At(user) if in_group => Some(onebot::Segment::at(user.0)),
            Part::Reply(message) if in_group && at == 0 => {
                Some(onebot::Segment::reply(&onebot::Id::new(message.0.clone())))
            }
            Part::Reply(_) | Part::At(_) => None,
        });
    Message(segments.collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use onebot::{Chat, Fields};
    use protocol::{Scene, SendKey, UserId};
    use serde_json::json;

    fn own(id: i64, seq: u64, time: i64, text: &str) -> ChatMessage {
        let entry = json!({
            "post_type": "message_sent", "message_id": id, "real_seq": seq.to_string(),
            "time": time, "user_id": 10, "message": text
        });
        ChatMessage::read(&Fields::of(&entry), Some(Chat::Private(5))).unwrap()
    }

    fn send(text: &str) -> Send {
        let parts = vec![Part::Reply(MessageRef("9".into())), Part::Text(text.into())];
        Send {
            key: SendKey("k".into()),
            scene: Scene::Private(UserId(5)),
            parts,
            repeat: false,
            kind: protocol::SayKind::Notice,
        }
    }

    fn after(said: &[&str]) -> After {
        let said = said.iter().map(|id| MessageRef((*id).into())).collect();
        After {
            secs: 100,
            seq: Some(7),
            said,
        }
    }

    fn found(history: &[ChatMessage], text: &str, said: &[&str]) -> Option<String> {
        find(&send(text), &after(said), &[], history).map(|name| name.0)
    }

    #[test]
    fn the_same_text_later_is_this_send() {
        let history = [
            own(1, 7, 100, "收到"),
            own(2, 8, 100, "收到 "),
            own(3, 9, 101, "收到"),
        ];
        assert_eq!(found(&history, "收到", &[]), Some("2".into()));
        assert_eq!(found(&history, "收到", &["2"]), Some("3".into()));
        assert_eq!(found(&history, "收到", &["2", "3"]), None);
        assert_eq!(found(&history, "未收到", &[]), None);
    }

    #[test]
    fn earlier_and_foreign_messages_are_not() {
        let mut foreign = own(2, 8, 100, "收到");
        foreign.own = false;
        let early = own(1, 6, 99, "收到");
        let no_seq_but_early = ChatMessage {
            seq: None,
            time: 99,
            ..own(1, 9, 99, "收到")
        };
        assert_eq!(
            found(&[foreign, early, no_seq_but_early], "收到", &[]),
            None
        );
        let others = [MessageRef("2".into())];
        let history = [own(2, 8, 100, "收到")];
        assert_eq!(find(&send("收到"), &after(&[]), &others, &history), None);
    }

    #[test]
    fn private_texts_neither_quote_nor_mention() {
        let mut send = send("收到");
        send.parts.push(Part::At(UserId(7)));
        let private = message(&send);
        assert_eq!(private.0.len(), 1);
        assert_eq!(private.plain_text(), "收到");
        send.scene = Scene::Group(protocol::ChatGroup(3));
        let kinds: Vec<_> = message(&send).0.into_iter().map(|s| s.kind).collect();
        assert_eq!(kinds, ["reply", "text", "at"]);
    }
}
