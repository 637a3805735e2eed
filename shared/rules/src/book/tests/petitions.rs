//! Petitions (G23).

use super::*;

#[test]
fn half_of_those_in_play_rounded_up_make_a_petition_hold() {
    for (in_play, need) in [(1_u8, 1_u8), (2, 1), (3, 2), (4, 2), (5, 3)] {
        let voters = SeatSet::first(usize::from(in_play));
        let mut book = Book::open(Thread { voters, ..thread() });
        for have in 1..need {
            let answer = book.petition(SeatId(have), Petition::Faster, at(20));
            assert_eq!(
                answer,
                PetitionAnswer::Noted {
                    again: false,
                    have,
                    need
                }
            );
            let again = book.petition(SeatId(have), Petition::Faster, at(21));
            assert_eq!(
                again,
                PetitionAnswer::Noted {
                    again: true,
                    have,
                    need
                }
            );
        }
        let answer = book.petition(A, Petition::Faster, at(30));
        assert_eq!(
            answer,
            PetitionAnswer::Holds { since: at(30) },
            "{need} of {in_play}"
        );
        assert_eq!(
            book.petition(A, Petition::Faster, at(31)),
            PetitionAnswer::Held
        );
        let other = book.petition(A, Petition::Slower, at(31));
        assert_ne!(
            other,
            PetitionAnswer::Held,
            "the other kind is counted by itself"
        );
    }
}

#[test]
fn petitions_come_in_time_and_from_seats_in_play() {
    let mut book = open();
    changed(&mut book, |thread| thread.voters.remove(E));
    let late = book.petition(A, Petition::Faster, at(61));
    assert_eq!(late, PetitionAnswer::Refused(Refusal::TooLate));
    let out = book.petition(E, Petition::Faster, at(60));
    assert_eq!(out, PetitionAnswer::Refused(Refusal::NotAVoter));
    let in_time = book.petition(A, Petition::Faster, at(60));
    assert_eq!(
        in_time,
        PetitionAnswer::Noted {
            again: false,
            have: 1,
            need: 2
        }
    );
}

#[test]
fn with_fewer_in_play_a_petition_needs_fewer() {
    let mut book = open();
    let _ = book.petition(A, Petition::Faster, at(20));
    let _ = book.petition(B, Petition::Faster, at(25));
    changed(&mut book, |thread| {
        thread.voters.remove(A);
        thread.voters.remove(E);
    });
    let one_of_three = book.petition(B, Petition::Faster, at(22));
    assert_eq!(
        one_of_three,
        PetitionAnswer::Noted {
            again: true,
            have: 1,
            need: 2
        }
    );
    changed(&mut book, |thread| thread.voters.remove(D));
    let answer = book.petition(B, Petition::Faster, at(24));
    assert_eq!(answer, PetitionAnswer::Holds { since: at(25) });
}
