//! The director's commands.

use rules::board::Colour;
use rules::input::Order;

use crate::args::Args;
use crate::duration;
use crate::misread::Misread;
use crate::read::read_act;
use crate::ruling;
use crate::said::{Answer, DirectorCommand};
use crate::tokens::fold;
use crate::vocabulary::Vocabulary;
use crate::words;

/// Reads a director's command; `None` when the word is none.
pub(crate) fn read(
    word: &str,
    rest: &str,
    vocabulary: &Vocabulary,
) -> Option<Result<DirectorCommand, Misread>> {
    let args = Args::new(
        rest.trim_start_matches([':', '：']),
        vocabulary,
        words::usage_of_order(word)?,
    );
    let order = DirectorCommand::Order;
    Some(match word {
        "发牌" => args.end(DirectorCommand::Deal),
        "开始" => args.end(order(Order::Start)),
        "暂停" => args.end(order(Order::Pause)),
        "继续" => args.end(order(Order::Resume)),
        "关门" => args.end(order(Order::CloseDoor)),
        "开门" => args.end(order(Order::OpenDoor)),
        "下一步" => args.end(order(Order::Next)),
        "加速" => args.end(order(Order::SpeedUp)),
        "延时" => extend(&args),
        "蓝牌" => card(args, Colour::Blue),
        "黄牌" => card(args, Colour::Yellow),
        "红牌" => card(args, Colour::Red),
        "代投" => vote_for(args),
        "代发" => act_for(args),
        "替补" => seat_and_user(args, |seat, user| DirectorCommand::Substitute {
            seat,
            user,
        }),
        "场助" => seat_and_user(args, |seat, user| DirectorCommand::Coach { seat, user }),
        "回答" => answer(args),
        "放行" => release(args),
        "驳回" => reject(args),
        "裁定" => ruling::read(&args).map(order),
        "公示" => args.text().map(Order::Announce).map(order),
        "催票" => args.end(DirectorCommand::Remind),
        "扣住" => args.end(DirectorCommand::Hold),
        "结算" => args.end(DirectorCommand::Reckoning),
        "回档" => args.end(order(Order::Rewind)),
        "结束" => end(args).map(order),
        "状态" => args.end(DirectorCommand::State),
        _ => return None,
    })
}

fn extend(args: &Args<'_>) -> Result<DirectorCommand, Misread> {
    let span = duration::milliseconds(args.rest()).and_then(|span| i64::try_from(span).ok());
    span.map(|span| DirectorCommand::Order(Order::Extend(span)))
        .ok_or_else(|| args.usage())
}

fn card(mut args: Args<'_>, colour: Colour) -> Result<DirectorCommand, Misread> {
    let seat = args.seat()?;
    Ok(DirectorCommand::Order(Order::Card {
        seat,
        colour,
        reason: args.reason(),
    }))
}

fn vote_for(mut args: Args<'_>) -> Result<DirectorCommand, Misread> {
    let voter = args.seat()?;
    let target = args.target()?;
    args.end(DirectorCommand::VoteFor { voter, target })
}

fn act_for(mut args: Args<'_>) -> Result<DirectorCommand, Misread> {
    let seat = args.seat()?;
    if args.is_empty() {
        return Err(args.usage());
    }
    let said = Box::new(read_act(args.rest(), args.vocabulary())?);
    Ok(DirectorCommand::ActFor { seat, said })
}

fn seat_and_user(
    mut args: Args<'_>,
    make: impl Fn(rules::SeatId, u64) -> DirectorCommand,
) -> Result<DirectorCommand, Misread> {
    let seat = args.seat()?;
    let user = args.user()?;
    args.end(make(seat, user))
}

fn answer(mut args: Args<'_>) -> Result<DirectorCommand, Misread> {
    let item = args.item()?;
    let answer = match fold(args.raw()?).as_str() {
        "是" => Answer::Yes,
        "否" => Answer::No,
        "无法回答" => Answer::CannotSay,
        _ => return Err(args.usage()),
    };
    args.end(DirectorCommand::Answer { item, answer })
}

fn release(mut args: Args<'_>) -> Result<DirectorCommand, Misread> {
    if args.is_empty() {
        return Ok(DirectorCommand::Release(None));
    }
    let item = args.item()?;
    args.end(DirectorCommand::Release(Some(item)))
}

fn reject(mut args: Args<'_>) -> Result<DirectorCommand, Misread> {
    let item = args.item()?;
    Ok(DirectorCommand::Reject {
        item,
        reason: args.reason(),
    })
}

fn end(mut args: Args<'_>) -> Result<Order, Misread> {
    if args.is_empty() {
        return Ok(Order::End(None));
    }
    let faction = args.faction()?;
    args.end(Order::End(Some(faction)))
}
