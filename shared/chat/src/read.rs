//! One line read into what it says.

use crate::args::Args;
use crate::director;
use crate::glued::{longest_prefix, names_of};
use crate::misread::{Misread, shortened};
use crate::said::Said;
use crate::tokens::{Tokens, fold, head_of, nearest, unmarked};
use crate::vocabulary::Vocabulary;
use crate::words;

/// Whose words come first where a board's skill and a command are written alike.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reader {
    /// A player's: skills, then the commands of everybody, then the director's.
    Player,
    /// A director's: the director's commands, then those of everybody, then skills.
    Director,
}

/// Reads a line. `line` is clean (`chat::clean`); a mark in front (`/ . # 。`) is optional.
///
/// # Errors
/// [`Misread`] tells what was not understood, for a friendly answer to whoever typed it.
pub fn read(line: &str, vocabulary: &Vocabulary, reader: Reader) -> Result<Said, Misread> {
    let line = unmarked(line);
    let head = head_of(line).ok_or(Misread::Nothing {})?;
    let rest = &line[head.end..];
    let word = fold(head.text);
    if !head.quoted {
        for candidate in [word.as_str(), word.trim_end_matches(is_closing)] {
            if let Some(read) = by_word(candidate, rest, vocabulary, reader) {
                return read;
            }
        }
        if let Some(read) = glued(head.text, rest, vocabulary, reader) {
            return read;
        }
    }
    Err(unknown(&word, vocabulary, reader))
}

/// What a line in a seat's name says (代发): a skill, or what else one does in private.
pub(crate) fn read_act(line: &str, vocabulary: &Vocabulary) -> Result<Said, Misread> {
    let said = read(line, vocabulary, Reader::Player)?;
    match said {
        Said::Skill { .. }
        | Said::Decline(_)
        | Said::LastWords(_)
        | Said::Surrender
        | Said::AgreeSurrender => Ok(said),
        _ => Err(unknown(line, vocabulary, Reader::Player)),
    }
}

fn by_word(
    word: &str,
    rest: &str,
    vocabulary: &Vocabulary,
    reader: Reader,
) -> Option<Result<Said, Misread>> {
    let skill = || skill(word, rest, vocabulary);
    let command = || command(word, rest, vocabulary);
    let order = || director::read(word, rest, vocabulary).map(|read| read.map(Said::Director));
    match reader {
        Reader::Player => skill().or_else(command).or_else(order),
        Reader::Director => order().or_else(command).or_else(skill),
    }
}

fn skill(word: &str, rest: &str, vocabulary: &Vocabulary) -> Option<Result<Said, Misread>> {
    let skill = vocabulary.skill(word)?;
    let args = Args::new(rest.trim_start_matches([':', '：']), vocabulary, "");
    let rest = args.rest().to_owned();
    Some(args.words().map(|words| Said::Skill { skill, words, rest }))
}

fn command(word: &str, rest: &str, vocabulary: &Vocabulary) -> Option<Result<Said, Misread>> {
    if ["投票", "改票"].iter().any(|post| word.starts_with(post)) {
        return Some(Ok(Said::VotePost));
    }
    let args = Args::new(
        rest.trim_start_matches([':', '：']),
        vocabulary,
        words::usage_of(word)?,
    );
    Some(match word {
        "我" | "状态" => args.end(Said::Status),
        "帮助" => Ok(Said::Help(
            Some(args.rest().to_owned()).filter(|about| !about.is_empty()),
        )),
        "放弃" => decline(args),
        "遗言" => args.text().map(Said::LastWords),
        "确认" => args.end(Said::Confirm),
        "报名" => Ok(Said::SignUp(alias(&args))),
        "退出" => args.end(Said::Quit),
        "电梯" | "名单" => args.end(Said::Elevator),
        "票型" => args.end(Said::Ballots),
        "公告" => args.end(Said::Notices),
        "投降" => args.end(Said::Surrender),
        "同意投降" => args.end(Said::AgreeSurrender),
        "树洞" => args.text().map(Said::Diary),
        "说" => args.text().map(Said::Say),
        "投" => vote(args),
        "申请加速" | "申请延时" => args.end(Said::Petition),
        "竞选" | "上警" => args.end(Said::Run),
        "退选" | "退水" => args.end(Said::Withdraw),
        "开局" => Ok(Said::Open),
        _ => return None,
    })
}

fn decline(mut args: Args<'_>) -> Result<Said, Misread> {
    if args.is_empty() {
        return Ok(Said::Decline(None));
    }
    let skill = args.skill()?;
    args.end(Said::Decline(Some(skill)))
}

/// The alias that was asked for, with quotes around it taken away.
fn alias(args: &Args<'_>) -> Option<String> {
    let rest = args.rest();
    let token = Tokens::new(rest).next()?;
    let whole = token.quoted && token.end == rest.len();
    Some(if whole { token.text } else { rest }.to_owned())
}

fn vote(mut args: Args<'_>) -> Result<Said, Misread> {
    let target = args.target()?;
    Ok(Said::Vote {
        target,
        reason: args.reason(),
    })
}

/// A command that the next word was written to without a blank, where that word is a name, a
/// seat number or, for 延时, a span. `预言家` is not 预言: a word that is a name itself stays whole.
fn glued(
    head: &str,
    rest: &str,
    vocabulary: &Vocabulary,
    reader: Reader,
) -> Option<Result<Said, Misread>> {
    if vocabulary.word(head).is_known() {
        return None;
    }
    let most = vocabulary.longest().max(words::LONGEST);
    longest_prefix(head, most, |prefix| {
        let after = &head[prefix.len()..];
        let word = fold(prefix);
        let fits = if word == "延时" {
            crate::duration::milliseconds(after).is_some()
        } else {
            takes_names(&word, vocabulary) && names_of(after, vocabulary).is_some()
        };
        let line = format!("{after}{rest}");
        fits.then(|| by_word(&word, &line, vocabulary, reader))
            .flatten()
    })
    .map(|(read, _)| read)
}

/// Can a name follow this word? What takes a free text or nothing is not read without a blank.
fn takes_names(word: &str, vocabulary: &Vocabulary) -> bool {
    vocabulary.skill(word).is_some()
        || matches!(word, "放弃" | "投" | "帮助")
        || words::order_takes_names(word)
}

fn is_closing(c: char) -> bool {
    matches!(c, '。' | '！' | '!' | '?' | '？' | '~' | '～' | '.' | '…')
}

fn unknown(line: &str, vocabulary: &Vocabulary, reader: Reader) -> Misread {
    let word = head_of(line).map_or("", |head| head.text);
    let skills = vocabulary.names().skills.iter().map(String::as_str);
    let everybody = words::COMMANDS.iter().map(|(word, _)| *word);
    let directors = words::ORDERS.iter().map(|(word, _)| *word);
    let known: Vec<&str> = match reader {
        Reader::Player => skills.chain(everybody).collect(),
        Reader::Director => directors.chain(everybody).chain(skills).collect(),
    };
    let begun = known
        .iter()
        .filter(|known| known.chars().count() > 1 && word.starts_with(**known))
        .max_by_key(|known| known.len());
    let nearest = begun.copied().or_else(|| nearest(word, known.into_iter()));
    Misread::Unknown {
        word: shortened(word),
        nearest: nearest.map(str::to_owned),
    }
}
