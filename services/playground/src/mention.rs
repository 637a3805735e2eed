//! Mentions in what a person types: `@` and then the number or the name of a member.

use protocol::{Scene, UserId};

use crate::scene::Piece;
use crate::world::World;

/// Splits a typed text into text and mentions. Private chats have no mentions.
pub(crate) fn read(world: &World, scene: Scene, text: &str) -> Vec<Piece> {
    let Scene::Group(group) = scene else {
        return vec![Piece::Text(text.to_owned())];
    };
    let Some(known) = world.group(group) else {
        return vec![Piece::Text(text.to_owned())];
    };
    let mut names: Vec<(String, UserId)> = known
        .members()
        .flat_map(|(user, _)| {
            let shown = world.shown_name(Some(group), user).to_owned();
            [(shown, user), (user.to_string(), user)]
        })
        .filter(|(name, _)| !name.is_empty())
        .collect();
    // The longest name first: 甲乙 is not 甲 followed by 乙.
    names.sort_by_key(|(name, _)| std::cmp::Reverse(name.len()));
    split(&names, text)
}

fn split(names: &[(String, UserId)], text: &str) -> Vec<Piece> {
    let mut pieces = Vec::new();
    let mut plain = String::new();
    let mut rest = text;
    while let Some(at) = rest.find('@') {
        let (before, behind) = rest.split_at(at);
        plain.push_str(before);
        let behind = &behind[1..];
        let found = names
            .iter()
            .find_map(|(name, user)| mentioned(behind, name).map(|after| (*user, after)));
        if let Some((user, after)) = found {
            if !plain.is_empty() {
                pieces.push(Piece::Text(std::mem::take(&mut plain)));
            }
            pieces.push(Piece::At(user));
            rest = after;
        } else {
            plain.push('@');
            rest = behind;
        }
    }
    plain.push_str(rest);
    if !plain.is_empty() || pieces.is_empty() {
        pieces.push(Piece::Text(plain));
    }
    pieces
}

/// What is behind a name that the text begins with. A number ends where its digits end.
fn mentioned<'t>(text: &'t str, name: &str) -> Option<&'t str> {
    let after = text.strip_prefix(name)?;
    let digits = name.bytes().all(|byte| byte.is_ascii_digit());
    (!digits || !after.starts_with(|c: char| c.is_ascii_digit())).then_some(after)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn members_are_mentioned_by_number_or_name() {
        let names = [("甲乙", 2), ("1234", 3), ("甲", 1), ("123", 4)]
            .map(|(name, user)| (name.to_owned(), UserId(user)));
        let text = |text: &str| Piece::Text(text.to_owned());
        let table = [
            ("你好", vec![text("你好")]),
            ("@甲 早", vec![Piece::At(UserId(1)), text(" 早")]),
            ("早@甲乙", vec![text("早"), Piece::At(UserId(2))]),
            (
                "@1234@123",
                vec![Piece::At(UserId(3)), Piece::At(UserId(4))],
            ),
            ("@12345", vec![text("@12345")]),
            ("a@b @", vec![text("a@b @")]),
            ("", vec![text("")]),
        ];
        for (typed, expected) in table {
            assert_eq!(split(&names, typed), expected, "{typed}");
        }
    }
}
