//! What follows a command, taken word by word.

use rules::{FactionId, RoleId, SeatId, SkillId, StateId};

use crate::glued::split_names;
use crate::misread::{Misread, Thing, shortened};
use crate::said::Target;
use crate::tokens::{Token, Tokens, fold, is_separator, nearest};
use crate::vocabulary::{Vocabulary, Word};

/// More words than this no command takes.
const MOST_WORDS: usize = 64;

/// The words after a command, against the names that the game knows.
pub(crate) struct Args<'t> {
    rest: &'t str,
    vocabulary: &'t Vocabulary,
    /// The command's form, for whoever leaves something out.
    usage: &'static str,
}

impl<'t> Args<'t> {
    pub(crate) fn new(rest: &'t str, vocabulary: &'t Vocabulary, usage: &'static str) -> Self {
        Self {
            rest: rest.trim_matches(is_separator),
            vocabulary,
            usage,
        }
    }

    pub(crate) fn vocabulary(&self) -> &'t Vocabulary {
        self.vocabulary
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.rest.is_empty()
    }

    /// What is left, as typed.
    pub(crate) fn rest(&self) -> &'t str {
        self.rest
    }

    /// The refusal that shows the command's form.
    pub(crate) fn usage(&self) -> Misread {
        Misread::Usage { usage: self.usage }
    }

    /// All that is left as one text, which must not be empty.
    pub(crate) fn text(self) -> Result<String, Misread> {
        if self.rest.is_empty() {
            Err(self.usage())
        } else {
            Ok(self.rest.to_owned())
        }
    }

    /// All that is left as a reason, without the bar that may stand before it.
    pub(crate) fn reason(self) -> String {
        self.rest
            .trim_start_matches(|c| is_separator(c) || matches!(c, '|' | '｜'))
            .to_owned()
    }

    /// `value`, if nothing is left.
    pub(crate) fn end<T>(self, value: T) -> Result<T, Misread> {
        if self.rest.trim_matches(is_filler).is_empty() {
            Ok(value)
        } else {
            Err(self.usage())
        }
    }

    fn advance(&mut self, bytes: usize) {
        self.rest = self.rest[bytes..].trim_start_matches(is_separator);
    }

    fn token(&mut self) -> Option<Token<'t>> {
        let token = Tokens::new(self.rest).next()?;
        self.advance(token.end);
        Some(token)
    }

    /// The next word as typed.
    pub(crate) fn raw(&mut self) -> Result<&'t str, Misread> {
        self.token()
            .map(|token| token.text)
            .ok_or_else(|| self.usage())
    }

    /// The next word and what it can mean. Aliases with blanks are one word.
    pub(crate) fn word(&mut self) -> Option<Word> {
        let rest = self.rest;
        let most = self.vocabulary.most_blanks() + 1;
        let tokens: Vec<Token<'t>> = Tokens::new(rest).take(most).collect();
        let first = *tokens.first()?;
        if !first.quoted {
            for last in tokens[1..].iter().rev() {
                let joined = &rest[..last.end];
                let word = self.vocabulary.name(joined);
                if word.seat.is_some() {
                    self.advance(last.end);
                    return Some(word);
                }
            }
        }
        self.advance(first.end);
        Some(if first.quoted {
            self.vocabulary.name(first.text)
        } else {
            self.vocabulary.word(first.text)
        })
    }

    /// All words that are left. A word that is several names written without a blank between
    /// them is taken apart.
    pub(crate) fn words(mut self) -> Result<Vec<Word>, Misread> {
        let mut words = Vec::new();
        while !self.is_empty() {
            let quoted = Tokens::new(self.rest)
                .next()
                .is_some_and(|token| token.quoted);
            let Some(word) = self.word() else { break };
            match split_names(&word.text, self.vocabulary) {
                Some(parts) if !quoted && !word.is_known() => words.extend(parts),
                _ => words.push(word),
            }
            if words.len() > MOST_WORDS {
                return Err(Misread::TooLong {});
            }
        }
        Ok(words)
    }

    fn named<T>(&mut self, thing: Thing, pick: impl Fn(&Word) -> Option<T>) -> Result<T, Misread> {
        let word = self.word().ok_or_else(|| self.usage())?;
        pick(&word).ok_or_else(|| self.no_such(thing, &word.text))
    }

    fn no_such(&self, thing: Thing, word: &str) -> Misread {
        let names = self.vocabulary.names();
        let list: Vec<&str> = match thing {
            Thing::Seat => self
                .vocabulary
                .seats()
                .iter()
                .map(|seat| seat.alias.as_str())
                .collect(),
            Thing::Role => names.roles.iter().map(String::as_str).collect(),
            Thing::Faction => names.factions.iter().map(String::as_str).collect(),
            Thing::State => names.states.iter().map(String::as_str).collect(),
            Thing::Skill => names.skills.iter().map(String::as_str).collect(),
        };
        let nearest = nearest(word, list.into_iter()).map(str::to_owned);
        Misread::NoSuch {
            thing,
            word: shortened(word),
            nearest,
        }
    }

    pub(crate) fn seat(&mut self) -> Result<SeatId, Misread> {
        self.named(Thing::Seat, |word| word.seat)
    }

    /// A seat, or 弃权.
    pub(crate) fn target(&mut self) -> Result<Target, Misread> {
        self.named(Thing::Seat, |word| {
            if word.is_abstention() {
                Some(Target::Abstain)
            } else {
                word.seat.map(Target::Seat)
            }
        })
    }

    pub(crate) fn role(&mut self) -> Result<RoleId, Misread> {
        self.named(Thing::Role, |word| word.role)
    }

    pub(crate) fn faction(&mut self) -> Result<FactionId, Misread> {
        self.named(Thing::Faction, |word| word.faction)
    }

    pub(crate) fn state(&mut self) -> Result<StateId, Misread> {
        self.named(Thing::State, |word| word.state)
    }

    pub(crate) fn skill(&mut self) -> Result<SkillId, Misread> {
        self.named(Thing::Skill, |word| word.skill)
    }

    /// A chat id.
    pub(crate) fn user(&mut self) -> Result<u64, Misread> {
        let word = self.word().ok_or_else(|| self.usage())?;
        word.user.ok_or_else(|| self.usage())
    }

    /// The number of an item in the queue.
    pub(crate) fn item(&mut self) -> Result<u32, Misread> {
        let text = fold(self.raw()?);
        text.parse()
            .ok()
            .filter(|item| *item > 0)
            .ok_or_else(|| self.usage())
    }
}

/// What may stand behind a command without meaning anything.
fn is_filler(c: char) -> bool {
    is_separator(c) || matches!(c, '。' | '！' | '!' | '.' | '~' | '～')
}
