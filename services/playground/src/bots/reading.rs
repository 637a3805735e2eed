//! What a player understands of the words of the host. Only the words are looked at, not how they
//! are decorated, and what is not understood is passed over.

/// Something that a public notice says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Sign {
    /// One can sign up.
    Lobby,
    /// The cards are dealt; the names in order.
    Dealt(Vec<String>),
    /// The opening has begun.
    Opening,
    /// A window of a night.
    Night {
        /// Which night.
        number: u32,
        /// Which window.
        window: String,
    },
    /// A night is over, its reactions are asked for.
    Dawn,
    /// The sheriff is elected.
    Election,
    /// The election's last window, for the badge.
    Badge,
    /// The door is open: one talks and votes.
    Day {
        /// Which day.
        number: u32,
    },
    /// The door is shut.
    Dusk,
    /// These have gone out.
    Out(Vec<String>),
    /// It is over.
    Over,
}

/// An open skill, as the answer to `我` lists it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct OpenSkill {
    /// Its name.
    pub(super) name: String,
    /// Whom one can choose; `None` when nobody is to be chosen.
    pub(super) choices: Option<Vec<String>>,
}

/// Something that a private message of the host says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Word {
    /// One's card.
    Card {
        /// The role.
        role: String,
        /// The faction.
        faction: String,
    },
    /// Those who share a private group with the reader.
    Mates(Vec<String>),
    /// A private group to join.
    Invited {
        /// Its number.
        group: u64,
    },
    /// There is something that one can use now.
    Prompt,
    /// The answer to `我`.
    Status(Vec<OpenSkill>),
    /// Someone's faction.
    Checked {
        /// Whose.
        target: String,
        /// Which.
        answer: String,
    },
    /// Who is struck tonight.
    Struck(Vec<String>),
    /// A packmate has chosen.
    MateChose {
        /// For which skill.
        skill: String,
    },
    /// Not everybody can be chosen for this skill tonight.
    ChooseAgain {
        /// Which.
        skill: String,
    },
    /// The reader went out.
    OutYou {
        /// And may leave last words.
        last_words: bool,
    },
}

/// Reads a public notice, line by line.
pub(super) fn public(text: &str) -> Vec<Sign> {
    if text.contains("发牌了") {
        return vec![Sign::Dealt(numbered(text))];
    }
    text.lines().filter_map(public_line).collect()
}

fn public_line(line: &str) -> Option<Sign> {
    if line.contains("游戏结束") || line.contains("导演结束了这一局") || is_called_off(line)
    {
        return Some(Sign::Over);
    }
    if line.contains("开局【") {
        return Some(Sign::Lobby);
    }
    if line.contains("开局了") {
        return Some(Sign::Opening);
    }
    if let Some((_, names)) = line
        .split_once("出局：")
        .or_else(|| line.split_once("出局公示："))
    {
        let names = list(names);
        return (!names.is_empty()).then_some(Sign::Out(names));
    }
    if let Some((target, _)) = line
        .split_once('被')
        .filter(|(_, rest)| rest.contains("带走"))
    {
        return Some(Sign::Out(vec![
            target.trim_start_matches(|c| !is_name(c)).to_owned(),
        ]));
    }
    if line.contains("警长竞选") && line.contains("投票") {
        return Some(Sign::Election);
    }
    if line.contains("警长竞选 ·") {
        return Some(Sign::Badge);
    }
    let (number, rest) = ordinal(line)?;
    match rest.chars().next()? {
        '夜' if rest.contains("过去") => Some(Sign::Dawn),
        '夜' => {
            let window = rest.rsplit('·').next().unwrap_or_default();
            let window = window.trim().trim_end_matches('。').to_owned();
            Some(Sign::Night { number, window })
        }
        '天' if rest.contains("开门") => Some(Sign::Day { number }),
        '天' if rest.contains("关门") => Some(Sign::Dusk),
        _ => None,
    }
}

fn is_called_off(line: &str) -> bool {
    line.starts_with('【') && line.contains("取消了")
}

/// Reads a private message, or one in a private group.
pub(super) fn private(text: &str) -> Vec<Word> {
    if let Some(skills) = status(text) {
        return vec![Word::Status(skills)];
    }
    let mut words: Vec<Word> = text.lines().filter_map(private_line).collect();
    if text.contains("你出局了") || text.contains("你被红牌罚下") {
        words.push(Word::OutYou {
            last_words: text.contains("遗言"),
        });
    }
    words
}

fn private_line(line: &str) -> Option<Word> {
    if let Some(role) = between(line, "你的身份是【", "】") {
        let faction = between(line, "属于", "。").unwrap_or_default();
        return Some(Word::Card {
            role: role.to_owned(),
            faction: faction.to_owned(),
        });
    }
    if let Some((_, names)) = line.split_once("和你一起的是：") {
        return Some(Word::Mates(list(names)));
    }
    if line.contains("群号")
        && let Some(group) = group_number(line)
    {
        return Some(Word::Invited { group });
    }
    let narrowed =
        between(line, "今晚的", "只能选").or_else(|| between(line, "今晚", "的对象有限制"));
    if let Some(skill) = narrowed {
        return Some(Word::ChooseAgain {
            skill: skill.to_owned(),
        });
    }
    if line.contains("现在可以用：") || line.contains("你可以发动【") || line.contains("别忘了：")
    {
        return Some(Word::Prompt);
    }
    if let Some((_, names)) = line.split_once("被指杀的是") {
        return Some(Word::Struck(list(names)));
    }
    if let Some((_, chosen)) = line.split_once("选择：") {
        let chosen = chosen.trim_start_matches("不用");
        let skill = chosen
            .split(|c: char| !is_name(c))
            .next()
            .unwrap_or_default();
        return Some(Word::MateChose {
            skill: skill.to_owned(),
        });
    }
    let (left, answer) = line.split_once('→')?;
    let target = left.rsplit('：').next().unwrap_or(left).trim();
    Some(Word::Checked {
        target: target.to_owned(),
        answer: answer.trim().to_owned(),
    })
}

/// The answer to `我`: a line about oneself, then `技能｜剩余｜可选｜截止` for each open skill. `None`
/// when the text is something else.
pub(super) fn status(text: &str) -> Option<Vec<OpenSkill>> {
    let mut lines = text.lines().filter(|line| !line.trim().is_empty());
    let about = lines.next()?;
    let is_about_me = about.split('｜').count() >= 3 && about.contains('号');
    is_about_me.then(|| lines.filter_map(open_skill).collect())
}

fn open_skill(line: &str) -> Option<OpenSkill> {
    let fields: Vec<&str> = line.split('｜').map(str::trim).collect();
    let [name, left, choices, _] = fields[..] else {
        return None;
    };
    let counted = left == "∞" || left.parse::<u32>().is_ok();
    if !counted || name.is_empty() {
        return None;
    }
    let choices = (choices != "-").then(|| list(choices));
    Some(OpenSkill {
        name: name.to_owned(),
        choices,
    })
}

/// Was a vote taken? The answer to a vote post says so, or says why not.
pub(super) fn vote_was_taken(answer: &str) -> bool {
    answer.contains("记下") || answer.contains("投给") || answer.contains("已经")
}

/// The number of a group in an invitation: 5 to 12 digits.
fn group_number(text: &str) -> Option<u64> {
    let (_, behind) = text.split_once("群号")?;
    let runs = behind.split(|c: char| !c.is_ascii_digit());
    runs.filter(|run| (5..=12).contains(&run.len()))
        .find_map(|run| run.parse().ok())
}

/// `第3夜…`: the number and what follows it.
fn ordinal(line: &str) -> Option<(u32, &str)> {
    let (_, behind) = line.split_once('第')?;
    let end = behind.find(|c: char| !c.is_ascii_digit())?;
    Some((behind[..end].parse().ok()?, &behind[end..]))
}

/// The names in lines such as `3号 甲`.
fn numbered(text: &str) -> Vec<String> {
    let names = text.lines().filter_map(|line| {
        let (number, name) = line.split_once("号 ")?;
        number
            .trim()
            .parse::<u32>()
            .ok()
            .map(|_| name.trim().to_owned())
    });
    names.collect()
}

/// `甲、乙、丙。` as names; nobody for 无, 没有人 and the like.
fn list(names: &str) -> Vec<String> {
    let names = names.trim().trim_end_matches('。');
    if names.starts_with('无') || names.starts_with("没有") || names.is_empty() || names == "-" {
        return Vec::new();
    }
    names
        .split('、')
        .map(|name| name.trim().to_owned())
        .filter(|name| !name.is_empty())
        .collect()
}

fn between<'t>(text: &'t str, open: &str, close: &str) -> Option<&'t str> {
    let (_, behind) = text.split_once(open)?;
    behind.split_once(close).map(|(inside, _)| inside)
}

fn is_name(c: char) -> bool {
    c.is_alphanumeric()
}

#[cfg(test)]
mod tests;
