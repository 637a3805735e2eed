use protocol::{ChatGroup, GameId, PlatformAct, PoolIn, Refused, ToPublish, UserId};

use crate::testing::{ACCOUNT, Bench, GAME, Sent, acts};

const OTHER: GameId = GameId {
    account: ACCOUNT,
    number: 2,
};

fn pool(groups: &[u64]) -> Bench {
    Bench::new("pool:9000", groups)
}

fn take(bench: &mut Bench, game: GameId, name: &str) -> Vec<Sent> {
    bench.take(&ToPublish::Pool(PoolIn::Take {
        game,
        name: name.to_owned(),
    }))
}

fn give(bench: &mut Bench, game: GameId, group: u64) -> Vec<Sent> {
    bench.take(&ToPublish::Pool(PoolIn::Give {
        game,
        group: ChatGroup(group),
    }))
}

fn news(bench: &mut Bench, group: u64, news: ToPublish) -> Vec<Sent> {
    bench.take(&ToPublish::Pool(PoolIn::News {
        group: ChatGroup(group),
        news: Box::new(news),
    }))
}

/// To whom which groups were given, for which rooms.
fn given(sent: &[Sent]) -> Vec<(String, String, Option<u64>)> {
    let given = sent.iter().filter_map(|sent| match sent {
        Sent::ToDesk(key, ToPublish::GroupGiven { name, group, .. }) => {
            Some((key.clone(), name.clone(), group.map(|g| g.0)))
        }
        _ => None,
    });
    given.collect()
}

fn to(game: GameId, name: &str, group: Option<u64>) -> (String, String, Option<u64>) {
    (game.to_string(), name.to_owned(), group)
}

#[test]
fn a_group_is_given_once_until_it_is_back() {
    let mut bench = pool(&[1, 2]);
    let sent = take(&mut bench, GAME, "狼群");
    assert_eq!(given(&sent), [to(GAME, "狼群", Some(1))]);
    let listed = Sent::Directory(vec![(ChatGroup(1), GAME, "狼群".to_owned())]);
    assert!(sent.contains(&listed), "{sent:?}");
    // Asked again: the same answer, and the directory stays as it is.
    let again = take(&mut bench, GAME, "狼群");
    assert_eq!(given(&again), [to(GAME, "狼群", Some(1))]);
    assert_eq!(again.len(), 1);

    assert_eq!(
        given(&take(&mut bench, OTHER, "狼群")),
        [to(OTHER, "狼群", Some(2))]
    );
    assert_eq!(
        given(&take(&mut bench, GAME, "魔女会")),
        [to(GAME, "魔女会", None)]
    );
    assert_eq!(
        given(&take(&mut bench, GAME, "魔女会")),
        [to(GAME, "魔女会", None)]
    );
    assert_eq!(
        given(&take(&mut bench, OTHER, "魔女会")),
        [to(OTHER, "魔女会", None)]
    );

    // Only who has a group can give it back; then the first who waited gets it.
    assert_eq!(give(&mut bench, GAME, 2), []);
    let sent = give(&mut bench, OTHER, 2);
    assert_eq!(given(&sent), [to(GAME, "魔女会", Some(2))]);
    let directories = sent
        .iter()
        .filter(|sent| matches!(sent, Sent::Directory(_)))
        .count();
    assert_eq!(directories, 1);
    assert_eq!(give(&mut bench, OTHER, 2), [], "the news twice");
    assert_eq!(
        given(&give(&mut bench, GAME, 1)),
        [to(OTHER, "魔女会", Some(1))]
    );
}

#[test]
fn the_group_idle_longest_is_next() {
    let mut bench = pool(&[1, 2, 3]);
    take(&mut bench, GAME, "a");
    take(&mut bench, GAME, "b");
    give(&mut bench, GAME, 2);
    give(&mut bench, GAME, 1);
    let order = ["c", "d", "e"].map(|name| given(&take(&mut bench, GAME, name))[0].2);
    assert_eq!(order, [Some(3), Some(2), Some(1)]);
}

#[test]
fn other_settings_take_no_group_from_a_game() {
    let mut bench = pool(&[1]);
    take(&mut bench, GAME, "a");
    bench
        .settings
        .pools
        .of_account
        .insert(ACCOUNT, vec![ChatGroup(3), ChatGroup(1)]);
    assert_eq!(
        given(&take(&mut bench, GAME, "a")),
        [to(GAME, "a", Some(1))]
    );
    assert_eq!(
        given(&take(&mut bench, OTHER, "b")),
        [to(OTHER, "b", Some(3))]
    );
    bench.settings.pools.of_account.insert(ACCOUNT, Vec::new());
    take(&mut bench, OTHER, "c");
    assert_eq!(
        given(&give(&mut bench, GAME, 1)),
        [],
        "it is none of ours any more"
    );
}

#[test]
fn each_step_that_counts_takes_a_snapshot() {
    use kit::Aggregate;
    let mut bench = pool(&[1]);
    let ask = ToPublish::Pool(PoolIn::Take {
        game: GAME,
        name: "a".to_owned(),
    });
    let effects = bench.desk.handle(&bench.settings, &ask);
    assert!(effects.snapshot && !effects.ignore);
}

#[test]
fn news_go_to_the_game_that_has_the_group() {
    let mut bench = pool(&[1]);
    take(&mut bench, GAME, "狼群");
    let joined = ToPublish::Joined {
        group: ChatGroup(1),
        user: UserId(5),
    };
    let sent = news(&mut bench, 1, joined.clone());
    assert_eq!(sent, [Sent::ToDesk(GAME.to_string(), joined.clone())]);
    give(&mut bench, GAME, 1);
    assert_eq!(news(&mut bench, 1, joined), []);
}

#[test]
fn requests_for_idle_groups_are_rejected() {
    let mut bench = pool(&[1]);
    let request = ToPublish::JoinRequest {
        group: ChatGroup(1),
        user: UserId(5),
        flag: "f".to_owned(),
    };
    let sent = acts(&news(&mut bench, 1, request));
    let [
        PlatformAct::Answer {
            approve: false,
            reason,
            ..
        },
    ] = &sent[..]
    else {
        panic!("{sent:?}")
    };
    assert!(!reason.is_empty());
}

#[test]
fn a_group_that_the_bot_was_removed_from_is_not_given_out() {
    let mut bench = pool(&[1, 2]);
    let standing = |trouble| ToPublish::Standing {
        group: ChatGroup(1),
        trouble,
    };
    assert_eq!(news(&mut bench, 1, standing(Some(Refused::Removed))), []);
    assert_eq!(
        given(&take(&mut bench, GAME, "a")),
        [to(GAME, "a", Some(2))]
    );
    assert_eq!(given(&take(&mut bench, GAME, "b")), [to(GAME, "b", None)]);
    let sent = news(&mut bench, 1, standing(None));
    assert_eq!(given(&sent), [to(GAME, "b", Some(1))]);
    assert!(sent.iter().any(|sent| matches!(sent, Sent::Directory(_))));
}

#[test]
fn an_account_that_is_not_listed_has_the_common_pool() {
    let mut bench = Bench::new("pool:9000", &[]);
    bench.settings.pools.of_account.clear();
    bench.settings.pools.otherwise = vec![ChatGroup(8)];
    assert_eq!(
        given(&take(&mut bench, GAME, "a")),
        [to(GAME, "a", Some(8))]
    );
}
