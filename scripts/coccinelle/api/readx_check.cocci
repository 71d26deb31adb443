// SPDX-License-Identifier: GPL-2.0-only
/// A driver that uses io_check sessions has no register access outside of one:
/// readl() next to readl_check() ends in a panic, or in all-ones taken for data.
///
// Confidence: Moderate
// Comments: Looks at files that include <linux/io_check.h> or begin a session,
//	and with -D driver at all of those that it is given.  For patch mode name
//	the pointer to the session with -D session=NAME.  Where it begins and
//	ends, and what is asked before a value is used, is the author's part.
// Keywords: readl, writel, ioread32, iowrite32, inl, outl, io_check
// Options: --no-includes --include-headers

virtual patch
virtual context
virtual org
virtual report
virtual driver

@includes@
@@

#include <linux/io_check.h>

@begins@
expression list es;
@@

io_check_begin(es)

@reads depends on !patch && (includes || begins || driver)@
identifier rd =~ "^(read[bwlq](_relaxed)?|ioread(8|16|32|64)|in[bwl])$";
expression a;
position p;
@@

rd@p(a)

@writes depends on !patch && (includes || begins || driver)@
identifier wr =~ "^(write[bwlq](_relaxed)?|iowrite(8|16|32|64)|out[bwl])$";
expression v, a;
position p;
@@

wr@p(v, a)

@copies depends on !patch && (includes || begins || driver)@
expression to, from, n;
position p;
@@

memcpy_toio@p(to, from, n)

// There is nothing to put in their place but a loop

@blocks depends on !patch && (includes || begins || driver)@
identifier bl =~ "^(memcpy_fromio|memset_io|(read|write|in|out)s[bwlq]|io(read|write)(8|16|32|64)_rep|io(read|write)(16|32|64)be|__raw_(read|write)[bwlq])$";
expression list es;
position p;
@@

bl@p(es)

@depends on patch && (includes || begins || driver)@
identifier rd =~ "^(read[bwlq](_relaxed)?|ioread(8|16|32|64)|in[bwl])$";
identifier virtual.session;
fresh identifier rd_check = rd ## "_check";
expression a;
@@

- rd(a)
+ rd_check(session, a)

@depends on patch && (includes || begins || driver)@
identifier wr =~ "^(write[bwlq](_relaxed)?|iowrite(8|16|32|64)|out[bwl])$";
identifier virtual.session;
fresh identifier wr_check = wr ## "_check";
expression v, a;
@@

- wr(v, a)
+ wr_check(session, v, a)

@depends on patch && (includes || begins || driver)@
identifier virtual.session;
expression to, from, n;
@@

- memcpy_toio(to, from, n)
+ memcpy_toio_check(session, to, from, n)

@depends on context@
identifier reads.rd;
expression a;
position reads.p;
@@

* rd@p(a)

@depends on context@
identifier writes.wr;
expression v, a;
position writes.p;
@@

* wr@p(v, a)

@depends on context@
expression to, from, n;
position copies.p;
@@

* memcpy_toio@p(to, from, n)

@depends on context@
identifier blocks.bl;
expression list es;
position blocks.p;
@@

* bl@p(es)

@script:python depends on org@
p << reads.p;
rd << reads.rd;
@@

coccilib.org.print_todo(p[0], "WARNING %s() outside of an io_check session, use %s_check()" % (rd, rd))

@script:python depends on org@
p << writes.p;
wr << writes.wr;
@@

coccilib.org.print_todo(p[0], "WARNING %s() outside of an io_check session, use %s_check()" % (wr, wr))

@script:python depends on org@
p << copies.p;
@@

coccilib.org.print_todo(p[0], "WARNING memcpy_toio() outside of an io_check session, use memcpy_toio_check()")

@script:python depends on org@
p << blocks.p;
bl << blocks.bl;
@@

coccilib.org.print_todo(p[0], "WARNING %s() outside of an io_check session" % (bl))

@script:python depends on report@
p << reads.p;
rd << reads.rd;
@@

coccilib.report.print_report(p[0], "WARNING: %s() outside of an io_check session, use %s_check()" % (rd, rd))

@script:python depends on report@
p << writes.p;
wr << writes.wr;
@@

coccilib.report.print_report(p[0], "WARNING: %s() outside of an io_check session, use %s_check()" % (wr, wr))

@script:python depends on report@
p << copies.p;
@@

coccilib.report.print_report(p[0], "WARNING: memcpy_toio() outside of an io_check session, use memcpy_toio_check()")

@script:python depends on report@
p << blocks.p;
bl << blocks.bl;
@@

coccilib.report.print_report(p[0], "WARNING: %s() outside of an io_check session" % (bl))
