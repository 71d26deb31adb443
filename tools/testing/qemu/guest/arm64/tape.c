// SPDX-License-Identifier: GPL-2.0
/*
 * tape - a disk of an adapter's that says that it is a tape
 *
 *	insmod tape.ko host=N target=N
 *
 * QEMU's adapters have no tape.  From the next scan on st gets this target: records are
 * kept on the disk, and travel by the adapter and its driver.  A reset of its bus, which a
 * disk tells by unit attention, rewinds it, as st.c has to assume.  No filemarks, one
 * partition, records of whole sectors.  /sys/module/tape/parameters has the WRITEs that the
 * driver has accepted, and the resets.  It is not removed.
 */

#define pr_fmt(fmt) "tape: " fmt

#include <linux/err.h>
#include <linux/module.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/tracepoint.h>
#include <linux/version.h>
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 12, 0)
#include <asm/unaligned.h>
#else
#include <linux/unaligned.h>
#endif
#include <scsi/scsi.h>
#include <scsi/scsi_cmnd.h>
#include <scsi/scsi_common.h>
#include <scsi/scsi_device.h>
#include <scsi/scsi_eh.h>
#include <scsi/scsi_host.h>

#define SECTOR		512
#define ASC_RESET	0x29	/* POWER ON, RESET, OR BUS DEVICE RESET OCCURRED */
#define ASC_FIELD	0x24	/* INVALID FIELD IN CDB */

static ushort host;
module_param(host, ushort, 0);
static uint target;
module_param(target, uint, 0);
static uint accepted;
module_param(accepted, uint, 0444);
static uint resets;
module_param(resets, uint, 0444);

/* int, or an enumeration from Linux 7.0 on */
typedef typeof(((struct scsi_host_template *)NULL)->queuecommand(NULL, NULL)) queue_status;

/* in sectors; one command at a time, as st has it */
static u32 position;
static const struct scsi_host_template *driver;

static bool is_tape(struct scsi_device *sdev)
{
	return sdev->host->host_no == host && sdev->id == target && !sdev->lun;
}

static queue_status answer(struct scsi_cmnd *cmd, const void *data, size_t len)
{
	scsi_sg_copy_from_buffer(cmd, data, len);
	scsi_set_resid(cmd, scsi_bufflen(cmd) - min_t(size_t, len, scsi_bufflen(cmd)));
	cmd->result = 0;
	scsi_done(cmd);
	return 0;
}

static queue_status inquiry(struct scsi_cmnd *cmd)
{
	/* type 1, removable, the standard data of SPC-3 (6.4.2) */
	static const u8 data[36] = "\x01\x80\x05\x02\x1f\x00\x00\x00"
				   "BENCH   TAPE            1   ";

	if (!(cmd->cmnd[1] & 1))
		return answer(cmd, data, sizeof(data));
	scsi_build_sense(cmd, 0, ILLEGAL_REQUEST, ASC_FIELD, 0);
	scsi_done(cmd);
	return 0;
}

/* a record is read or written where the tape is */
static void transfer(struct scsi_cmnd *cmd, u8 op)
{
	u32 len = get_unaligned_be24(&cmd->cmnd[2]);

	memset(cmd->cmnd, 0, 10);
	cmd->cmnd[0] = op;
	put_unaligned_be16(len / SECTOR, &cmd->cmnd[7]);
	cmd->cmd_len = 10;
}

static queue_status queue(struct Scsi_Host *shost, struct scsi_cmnd *cmd)
{
	/* 512 to 65536 bytes; buffered, with a block descriptor */
	static const u8 limits[6] = { 0, 1, 0, 0, 2, 0 }, mode[12] = { 11, 0, 0x10, 8 };
	queue_status ret;

	if (!is_tape(cmd->device))
		return driver->queuecommand(shost, cmd);
	switch (cmd->cmnd[0]) {
	case INQUIRY:
		return inquiry(cmd);
	case READ_BLOCK_LIMITS:
		return answer(cmd, limits, sizeof(limits));
	case MODE_SENSE:
		return answer(cmd, mode, sizeof(mode));
	case MODE_SELECT:
	case START_STOP:
	case ALLOW_MEDIUM_REMOVAL:
		return answer(cmd, NULL, 0);
	case REZERO_UNIT:	/* REWIND, of a tape */
	case WRITE_FILEMARKS:
		if (cmd->cmnd[0] == REZERO_UNIT)
			position = 0;
		memset(cmd->cmnd, 0, 6);	/* TEST UNIT READY */
		break;
	case WRITE_6:
		transfer(cmd, WRITE_10);
		break;
	case READ_6:
		transfer(cmd, READ_10);
		break;
	}
	/* a second time, if the host was busy, or replays */
	if (cmd->cmnd[0] == WRITE_10 || cmd->cmnd[0] == READ_10)
		put_unaligned_be32(position, &cmd->cmnd[2]);
	ret = driver->queuecommand(shost, cmd);
	if (!ret && cmd->cmnd[0] == WRITE_10)
		accepted++;
	return ret;
}

static void done(void *data, struct scsi_cmnd *cmd)
{
	struct scsi_sense_hdr sense;

	if (!is_tape(cmd->device))
		return;
	if (!cmd->result && (cmd->cmnd[0] == WRITE_10 || cmd->cmnd[0] == READ_10))
		position += get_unaligned_be16(&cmd->cmnd[7]);
	if (scsi_command_normalize_sense(cmd, &sense) &&
	    sense.sense_key == UNIT_ATTENTION && sense.asc == ASC_RESET) {
		position = 0;
		resets++;
	}
}

static void find_done(struct tracepoint *tp, void *found)
{
	if (!strcmp(tp->name, "scsi_dispatch_cmd_done"))
		*(struct tracepoint **)found = tp;
}

static int __init tape_init(void)
{
	struct Scsi_Host *shost = scsi_host_lookup(host);
	struct scsi_host_template *copy;
	struct tracepoint *tp = NULL;
	int ret;

	if (!shost) {
		pr_err("host=%u: there is none\n", host);
		return -ENODEV;
	}
	for_each_kernel_tracepoint(find_done, &tp);
	copy = kmemdup(shost->hostt, sizeof(*copy), GFP_KERNEL);
	ret = copy && tp ? tracepoint_probe_register(tp, done, NULL) : -ENOMEM;
	if (ret) {
		kfree(copy);
		scsi_host_put(shost);
		return ret;
	}
	driver = shost->hostt;
	copy->queuecommand = queue;
	WRITE_ONCE(shost->hostt, copy);
	return 0;
}
module_init(tape_init);

MODULE_DESCRIPTION("A tape, for adapters whose emulation has none");
MODULE_LICENSE("GPL");
