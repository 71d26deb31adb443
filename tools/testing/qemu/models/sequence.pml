/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The window of io_check_seq, for Spin: a counter of 4 bits in place of 24.
 *
 * Errors of another domain carry the counter round many times while a domain is idle.
 * An error in a session is never lost, and there is no false verdict on a session younger than OLD, as long as the
 * session does not outlive a turn of the counter, and a CPU inside io_check_bump() an
 * eighth of the window.
 *
 *	spin -a sequence.pml && cc -DSAFETY -o pan pan.c && ./pan
 */

#define M	16	/* io_check_seq's values */
#define WINDOW	8	/* what a signed comparison tells apart */
#define OLD	4	/* no stamp is left older than that ... */
#define PERIOD	2	/* ... by who counts this many errors */
#define LATE	1	/* errors while a CPU is inside io_check_bump() */
#define ROUNDS	3	/* of the counter */

#define IDLE	0	/* the session's domain */
#define BUSY	1

#define ahead(a, b)	((a + M - b) % M)
#define newer(a, b)	(ahead(a, b) > 0 && ahead(a, b) < WINDOW)

byte seq;
byte stamp[2];
byte real;		/* errors since the beginning, for the assertions */
byte late[2];		/* errors of the other one while a CPU is inside */
bit inside[2];		/* io_check_bump() */

#define may_err(other)	(!inside[other] || late[other] < LATE)

/* atomic_add_return(), by the process of @mine */
inline err(mine, other)
{
	real++;
	seq = (seq + 1) % M;
	t = seq;
	inside[mine] = 1;
	late[mine] = 0;
	late[other] = (inside[other] -> late[other] + 1 : 0)
}

inline refresh()
{
#ifdef NO_REFRESH
	skip
#else
	if
	:: t % PERIOD == 0 ->
		l = 0;
		do
		:: l == 2 -> break
		:: l < 2 ->
			old = stamp[l];
			if
#ifdef UNSIGNED_AGE
			:: ahead(t, old) > OLD ->
#else
			/* not one that is newer than @t */
			:: ahead(t, old) > OLD && ahead(t, old) < WINDOW ->
#endif
				atomic {
					if
					:: stamp[l] == old ->
						stamp[l] = (t + M - OLD) % M
					:: else
					fi
				}
			:: else
			fi;
			l++
		od
	:: else
	fi
#endif
}

inline mark(which)
{
	do
	:: old = stamp[which];
		if
		:: newer(t, old) ->
			atomic {
				if
				:: stamp[which] == old -> stamp[which] = t; old = M
				:: else
				fi
			}
			if
			:: old == M -> break
			:: else
			fi
		:: else -> break
		fi
	od
}

active proctype neighbour()
{
	byte t, old, l;

	do
	:: real >= ROUNDS * M -> break
	:: real < ROUNDS * M && may_err(IDLE) ->
		atomic { may_err(IDLE) -> err(BUSY, IDLE) }
		mark(BUSY);
		refresh();
		inside[BUSY] = 0
	od
}

active proctype session()
{
	byte t, old, l, word, began;
	bit failed, hit;

	do
	:: real >= ROUNDS * M - 1 -> break
	:: real < ROUNDS * M - 1 ->
		atomic { word = seq; began = real; failed = 0 }
		if
		:: skip
		:: atomic { may_err(BUSY) -> failed = 1; err(IDLE, BUSY) }
		   mark(IDLE);
		   refresh();
		   inside[IDLE] = 0
		fi;
		/* any time passes, less than a turn of the counter */
		atomic {
			if
			:: real - began < M ->
				hit = newer(stamp[IDLE], word);
#ifndef YOUNG_ONLY
				hit = hit || ahead(seq, word) >= WINDOW;
#endif
				assert(!failed || hit);
				assert(failed || !hit || real - began >= OLD)
			:: else
			fi
		}
	od
}
