//! Only the text that a person typed counts: quotes, faces, pictures and the mention that the
//! client puts in front of a reply do not.

use onebot::{Message, Piece, Target};
use protocol::{MessageRef, UserId};

/// What a person typed.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Typed {
    /// The cleaned text; mentions stand in it as `@<chat id>`.
    pub text: String,
    /// Who is mentioned in it, in order.
    pub mentions: Vec<UserId>,
    /// Was the account itself addressed, by a mention or by a quote of its own message?
    pub addressed: bool,
    /// Was it called by a mention that somebody typed, more than quoted?
    pub called: bool,
    /// Which message is quoted.
    pub reply_to: Option<MessageRef>,
}

/// Reads a message. `bot` is the account itself; `speaker` has typed it; `quoted` is who had said
/// what is quoted, when that is known.
pub(crate) fn typed(
    message: &Message,
    bot: UserId,
    speaker: UserId,
    quoted: Option<UserId>,
) -> Typed {
    let pieces: Vec<Piece<'_>> = message.0.iter().map(onebot::Segment::piece).collect();
    let automatic =
        automatic_mention(&pieces, quoted).or_else(|| lost_quote(&pieces, speaker).then_some(0));
    let mut typed = Typed {
        addressed: quoted == Some(bot),
        ..Typed::default()
    };
    let mut text = String::new();
    for (at, piece) in pieces.iter().enumerate() {
        match piece {
            Piece::Text(part) => {
                let behind_face = at > 0 && pieces[at - 1] == Piece::Face;
                text.push_str(if behind_face {
                    without_face_name(part)
                } else {
                    part
                });
            }
            Piece::At(Target::User(id)) if Some(at) != automatic => match id.number().map(UserId) {
                Some(user) if user == bot => {
                    typed.addressed = true;
                    typed.called = true;
                    text.push(' ');
                }
                Some(user) => {
                    text.extend([" @", &user.to_string(), " "]);
                    typed.mentions.push(user);
                }
                None => text.push(' '),
            },
            Piece::At(Target::User(id)) => typed.addressed |= id.number() == Some(bot.0),
            Piece::Reply(id) => {
                typed.reply_to = id.as_ref().map(|id| MessageRef(id.to_string()));
            }
            Piece::At(Target::All) | Piece::Face | Piece::Other => text.push(' '),
        }
    }
    typed.text = chat::clean(&text);
    typed
}

/// Where the mention is that the client put behind a quote: the one directly behind it that
/// names the quoted person. Where nobody knows who that is, a mention there counts as automatic
/// when what follows begins with the blank that goes with it.
fn automatic_mention(pieces: &[Piece<'_>], quoted: Option<UserId>) -> Option<usize> {
    let at = pieces
        .iter()
        .position(|piece| matches!(piece, Piece::Reply(_)))?
        + 1;
    let Some(Piece::At(Target::User(id))) = pieces.get(at) else {
        return None;
    };
    let automatic = match quoted {
        Some(user) => id.number() == Some(user.0),
        None => match pieces.get(at + 1) {
            Some(Piece::Text(text)) => text.starts_with(char::is_whitespace),
            _ => true,
        },
    };
    automatic.then_some(at)
}

/// Is the first piece what the platform has left of a quote that it has lost: a mention of whoever
/// speaks, and the blank that goes with it? Nobody mentions themselves.
fn lost_quote(pieces: &[Piece<'_>], speaker: UserId) -> bool {
    let [Piece::At(Target::User(id)), Piece::Text(text), ..] = pieces else {
        return false;
    };
    id.number() == Some(speaker.0) && text.starts_with(char::is_whitespace)
}

/// Some clients send a face's name (`/干饭`) as text behind it; nobody typed that.
fn without_face_name(text: &str) -> &str {
    if !text.starts_with('/') {
        return text;
    }
    text.find(char::is_whitespace)
        .map_or("", |end| &text[end..])
}

#[cfg(test)]
mod tests {
    use super::*;
    use onebot::{Id, Segment};
    use serde_json::Map;

    const BOT: UserId = UserId(10);
    const ME: UserId = UserId(30);

    fn read(segments: Vec<Segment>, quoted: Option<UserId>) -> Typed {
        typed(&Message(segments), BOT, ME, quoted)
    }

    fn reply() -> Segment {
        Segment::reply(&Id::new("-77"))
    }

    fn face() -> Segment {
        Segment::new("face", Map::new())
    }

    #[test]
    fn the_automatic_mention_and_its_blank_are_not_typed() {
        for quoted in [Some(ME), None] {
            let change = read(
                vec![reply(), Segment::at(30), Segment::text(" 改票 5")],
                quoted,
            );
            assert_eq!(change.text, "改票 5");
            assert_eq!(change.mentions, []);
            assert_eq!(change.reply_to, Some(MessageRef("-77".into())));
            assert!(!change.addressed);
        }
    }

    #[test]
    fn exactly_one_mention_is_automatic() {
        let twice = vec![
            reply(),
            Segment::at(30),
            Segment::text(" "),
            Segment::at(30),
        ];
        assert_eq!(read(twice, Some(ME)).mentions, [ME]);
        let other = vec![reply(), Segment::at(31), Segment::text(" 你好")];
        assert_eq!(read(other, Some(ME)).mentions, [UserId(31)]);
        let own_words = vec![reply(), Segment::at(31), Segment::text("你好")];
        let own_words = read(own_words, None);
        assert_eq!(
            (own_words.text.as_str(), own_words.mentions),
            ("@31 你好", vec![UserId(31)])
        );
    }

    #[test]
    fn without_a_reply_segment_only_a_mention_of_oneself_is_automatic() {
        let lost = read(vec![Segment::at(30), Segment::text(" 改票 5")], None);
        assert_eq!((lost.text.as_str(), lost.reply_to), ("改票 5", None));
        assert_eq!(lost.mentions, []);
        let typed = read(vec![Segment::at(31), Segment::text(" 改票 5")], None);
        assert_eq!(
            (typed.text.as_str(), typed.mentions),
            ("@31 改票 5", vec![UserId(31)])
        );
        let written_to_it = read(vec![Segment::at(30), Segment::text("改票")], None);
        assert_eq!(written_to_it.text, "@30 改票");
    }

    #[test]
    fn mentions_of_the_bot_address_it() {
        let asked = read(vec![Segment::at(10), Segment::text(" 帮助")], None);
        assert_eq!((asked.text.as_str(), asked.addressed), ("帮助", true));
        assert!(asked.called);
        let quoted = read(
            vec![reply(), Segment::at(10), Segment::text(" 确认")],
            Some(BOT),
        );
        assert_eq!((quoted.text.as_str(), quoted.addressed), ("确认", true));
        assert!(!quoted.called, "people quote notices to talk about them");
        let behind = read(vec![Segment::text("预言"), Segment::at(31)], None);
        assert_eq!(
            (behind.text.as_str(), behind.addressed),
            ("预言 @31", false)
        );
    }

    #[test]
    fn faces_and_pictures_are_not_typed() {
        let named = read(vec![face(), Segment::text("/干饭")], None);
        assert_eq!(named.text, "");
        let command = read(vec![face(), Segment::text("/确认")], None);
        assert_eq!(command.text, "");
        let behind = read(vec![face(), Segment::text("/干饭 大家好")], None);
        assert_eq!(behind.text, "大家好");
        let plain = read(vec![face(), Segment::text("预言 3"), face()], None);
        assert_eq!(plain.text, "预言 3");
        let picture = Segment::new("image", Map::new());
        let split = read(
            vec![Segment::text("预言"), picture, Segment::text("3")],
            None,
        );
        assert_eq!(split.text, "预言 3");
        let typed = read(vec![Segment::text("/帮助")], None);
        assert_eq!(typed.text, "/帮助");
    }

    #[test]
    fn mentions_of_all_and_odd_ids_are_left_out() {
        let data = |qq: &str| {
            let mut data = Map::new();
            data.insert("qq".into(), qq.into());
            Segment::new("at", data)
        };
        let read = read(
            vec![data("all"), data("u_x"), Segment::text("投票 3")],
            None,
        );
        assert_eq!(
            (read.text.as_str(), read.mentions.len(), read.addressed),
            ("投票 3", 0, false)
        );
    }
}
