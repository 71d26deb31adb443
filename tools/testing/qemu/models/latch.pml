/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Latches, stamps and the sequence of drivers/pci/io_check_latch.c, for Spin.
 *
 * Two functions below a bridge have sessions; a third party clears the bridge's latch, as
 * EDAC does; a host bridge's handler tells of an error that is latched nowhere.  A session
 * either harvests, or asks about a read that gave all-ones, which may be data.
 *
 *	spin -a latch.pml && cc -DSAFETY -o pan pan.c && ./pan
 *
 * -DNAME breaks one rule, and has to give a counterexample: see test_models.py.
 */

#define SESSIONS	1	/* of each function */

#define A	0	/* latches: of a function each, ... */
#define B	1
#define P	2	/* ... of the bridge above both, ... */
#define ROOT	3	/* ... and what the host bridge told */

#define OK	0
#define DOUBT	1	/* the value may be another's failure: read again, or reset */
#define FAILED	2

byte seq = 1;		/* io_check_seq; no window here, that is sequence.pml's */
byte stamp[4];
bit latch[3];
bit lock[3];

/* What a session may have heard of, for the assertions */
byte events[4];

inline take(l)
{
	atomic { !lock[l] -> lock[l] = 1 }
}

inline give(l)
{
	lock[l] = 0
}

/* io_check_bump(): of two at once the later stamp stays */
inline bump(l)
{
	atomic { seq++; t = seq }
	atomic { stamp[l] = (t > stamp[l] -> t : stamp[l]) }
}

/* io_check_take_status() under the latch's lock */
inline harvest_one(l, whose)
{
	take(l);
	if
	:: latch[l] ->
		found = found | (1 << l);
#ifdef BUMP_BEFORE
		bump(whose);
#endif
		atomic { latch[l] = 0; events[l]++ }
#if !defined(NO_BUMP) && !defined(BUMP_BEFORE) && !defined(BUMP_AFTER_UNLOCK)
		bump(whose)
#endif
	:: else
	fi;
	give(l);
#ifdef BUMP_AFTER_UNLOCK
	if
	:: found & (1 << l) -> bump(whose)
	:: else
	fi
#endif
}

inline harvest(own)
{
	found = 0;
	harvest_one(own, own);
#ifdef OTHERS_STAMP
	harvest_one(P, own)
#else
	harvest_one(P, P)
#endif
}

/* io_check_heard(): what the host bridge told has a stamp without status */
inline hit(own)
{
	take(own);
	heard = stamp[own] > word;
	give(own);
	take(P);
	heard = heard || stamp[P] > word;
	give(P);
	heard = heard || stamp[ROOT] > word
}

proctype function(byte own)
{
	byte n, t, word, found, verdict, before;
	bit heard, harvests, failed, ones, dirty;

	do
	:: n == SESSIONS -> break
	:: n < SESSIONS ->
		n++;
		verdict = OK;
		failed = 0;
		ones = 0;
		if
		:: harvests = 1
		:: harvests = 0
		fi;

		/* io_check_begin(); what is not clean then is another's */
		if
		:: harvests ->
#ifdef SNAPSHOT_BEFORE_LOCK
			word = seq;
#endif
			harvest(own);
			atomic {
#ifndef SNAPSHOT_BEFORE_LOCK
				word = seq;
#endif
				before = events[own] + events[P] + events[ROOT];
				dirty = latch[own] || latch[P] || lock[own] || lock[P]
			}
		:: else ->
			atomic {
				word = seq;
				before = events[own] + events[P] + events[ROOT];
				dirty = latch[own] || latch[P] || lock[own] || lock[P]
			}
		fi;

		/* the access */
		if
		:: skip
		:: ones = 1
		:: atomic {
			failed = 1;
			ones = 1;
			latch[P] = 1;
			events[P]++;
			if
			:: latch[own] = 1; events[own]++
			:: skip
			fi
		   }
		fi;

		/* io_check_query() */
		if
		:: !harvests && ones ->
			harvest(own);
			if
			:: found & (1 << own) -> verdict = FAILED
			:: else ->
				if
				:: found -> verdict = DOUBT
				:: else
				fi
			fi
		:: else
		fi;

		/* io_check_end() */
		if
		:: harvests ->
			harvest(own);
			hit(own);
			if
			:: found || heard -> verdict = (verdict > DOUBT -> verdict : DOUBT)
			:: else
			fi
		:: else ->
			if
			:: seq == word
			:: else ->
				hit(own);
				if
				:: heard && ones && verdict == OK -> verdict = DOUBT
				:: else
				fi
			fi
		fi;

		/* no error is lost */
		assert(!failed || verdict != OK);
		/* and nobody hears of one who was not near any */
		assert(verdict == OK || failed || dirty ||
		       events[own] + events[P] + events[ROOT] != before)
	od
}

/* io_check_clear_status() on the bridge */
proctype third_party()
{
	byte t, found;

	harvest_one(P, P)
}

/* io_check_bus_error(): in any context, without the lock */
proctype handler()
{
	byte t;

	atomic { events[ROOT]++; seq++; t = seq };
	atomic { stamp[ROOT] = (t > stamp[ROOT] -> t : stamp[ROOT]) }
}

init {
	atomic {
		run function(A);
		run function(B);
		run third_party();
		run handler()
	}
}
