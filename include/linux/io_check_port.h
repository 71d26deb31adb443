/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Accessors of error-checked sessions, <linux/io_check.h>, that are more than a load or a
 * store: ports, what may be a port's cookie, and what is more than one access.
 */
#include <linux/io_check.h>

#ifndef _LINUX_IO_CHECK_PORT_H
#define _LINUX_IO_CHECK_PORT_H

#include <linux/pci.h>
#include <linux/string.h>

#if defined(CONFIG_IO_CHECK) && !defined(IO_CHECK_OFF)

/* Ports that are not memory mapped: a dead session skips them, no more */
#define __io_check_skip_r(bits, plain, c, port)				\
({									\
	struct io_check *__ic = (c);					\
	u##bits __iv = -1;						\
									\
	if (likely(!__ic->stop) || !__io_check_stopped(__ic))		\
		__iv = plain(port);					\
	__iv;								\
})

#define __io_check_skip_w(bits, plain, c, val, port)			\
do {									\
	struct io_check *__oc = (c);					\
									\
	if (likely(!__oc->stop) || !__io_check_stopped(__oc))		\
		plain(val, port);					\
} while (0)

/* What ioremap() gave, or a port's cookie, see arch_io_check_cookie() */
#define __io_check_ior(bits, plain, c, addr)				\
({									\
	const void __iomem *__ca = (addr);				\
									\
	arch_io_check_cookie(__ca) ?					\
		__io_check_skip_r(bits, plain, c, (void __iomem *)__ca) : \
		__io_check_r(bits, plain, c, __ca);			\
})

#define __io_check_iow(bits, plain, c, val, addr)			\
do {									\
	void __iomem *__ca = (addr);					\
									\
	if (arch_io_check_cookie(__ca))					\
		__io_check_skip_w(bits, plain, c, val, __ca);		\
	else								\
		__io_check_w(bits, plain, c, val, __ca);		\
} while (0)

#ifdef arch_io_check_port
#define __io_check_in(bits, plain, c, port)				\
	__io_check_r(bits, plain, c, arch_io_check_port(port))
#define __io_check_out(bits, plain, c, val, port)			\
	__io_check_w(bits, plain, c, val, arch_io_check_port(port))
#else
#define __io_check_in			__io_check_skip_r
#define __io_check_out			__io_check_skip_w
#endif

#else /* the plain accessors */

#define __io_check_in			__io_check_r
#define __io_check_out			__io_check_w
#define __io_check_ior			__io_check_r
#define __io_check_iow			__io_check_w

#endif /* CONFIG_IO_CHECK && !IO_CHECK_OFF */

#define ioread8_check(c, addr)		__io_check_ior(8, ioread8, c, addr)
#define ioread16_check(c, addr)		__io_check_ior(16, ioread16, c, addr)
#define ioread32_check(c, addr)		__io_check_ior(32, ioread32, c, addr)

#define iowrite8_check(c, val, addr)	__io_check_iow(8, iowrite8, c, val, addr)
#define iowrite16_check(c, val, addr)	__io_check_iow(16, iowrite16, c, val, addr)
#define iowrite32_check(c, val, addr)	__io_check_iow(32, iowrite32, c, val, addr)

#define inl_check(c, port)		__io_check_in(32, inl, c, port)
#define outl_check(c, val, port)	__io_check_out(32, outl, c, val, port)

/**
 * memcpy_toio_check() - memcpy_toio() in a session
 * @c: the session
 * @to: where to, aligned to 4 bytes
 * @from: what
 * @count: how many bytes
 *
 * In 32-bit writes, and bytes for what is left.
 *
 * Context: Any but NMI.
 */
static inline void memcpy_toio_check(struct io_check *c, void __iomem *to,
				     const void *from, size_t count)
{
#if defined(CONFIG_IO_CHECK) && !defined(IO_CHECK_OFF)
	__le32 word;

	for (; count >= 4; count -= 4, from += 4, to += 4) {
		memcpy(&word, from, sizeof(word));
		writel_check(c, le32_to_cpu(word), to);
	}
	for (; count; count--, from++, to++)
		writeb_check(c, *(const u8 *)from, to);
#else
	memcpy_toio(to, from, count);
#endif
}

#endif /* _LINUX_IO_CHECK_PORT_H */
