# SPDX-License-Identifier: GPL-2.0
"""Boots as jobs of a LAVA test farm, and as a submission to KCIDB.

Jobs are held against LAVA's own schema and run by tuxrun, submissions against KCIDB's;
builds/farm.sh has the tools.
"""

import copy
import json
import shlex
import subprocess

import pytest
import yaml

from common import BASE
from harness import boots, kcidb, ktap, lava, paths, process
from harness.document import Error
from harness.guest import Boot

KTAP = """\
KTAP version 1
1..2
    KTAP version 1
    # Subtest: storm
    1..2
    ok 1 no I/O error
    ok 2 - memory # SKIP no kmemleak
ok 1 storm
    KTAP version 1
    # Subtest: io_check
    1..1
        KTAP version 1
        # Subtest: parameters
        1..1
        ok 1 - 8 bits
    not ok 1 parameters
not ok 2 - io_check
"""
CASES = [("storm.no_I_O_error", "pass"), ("storm.memory", "skip"), ("storm", "pass"),
         ("io_check.8_bits", "pass"), ("io_check.parameters", "fail"), ("io_check", "fail")]
COMMAND = ("qemu-system-aarch64 -M virt -cpu cortex-a57 -m 512 -smp 1 -nic none "
           "-display none -no-reboot -kernel {0}/Image -initrd {0}/initramfs.cpio "
           "-append 'console=ttyAMA0 panic=-1 bench.run=storm' "
           "-chardev file,id=console,path={0}/console.log -serial chardev:console "
           "-device virtio-serial-pci -chardev file,id=ktap,path={0}/results.ktap "
           "-device virtserialport,chardev=ktap,name=ktap -device mptsas1068,id=hba0 "
           "-drive if=none,id=disk0,format=raw,file={0}/disk0.raw,throttling.iops-total=4 "
           "-device scsi-hd,drive=disk0,bus=hba0.0 -monitor none -d invalid_mem -D x")
FARM = paths.BUILD / "farm/bin"
URL = "http://artifacts"


@pytest.fixture(name="made_up")
def fixture_made_up(tmp_path, monkeypatch):
    """make(NAME, changes of what it was): a boot in a build directory of its own."""
    monkeypatch.setattr(paths, "BUILD", tmp_path)
    obj = tmp_path / "6.1/patched/O.arm64.on"
    obj.mkdir(parents=True)
    (obj / ".config").write_text('CONFIG_CC_VERSION_TEXT="gcc 12"\n')
    (tmp_path / "6.1/series").mkdir()
    (tmp_path / "6.1/series/0001-a.patch").write_text("a\n")

    def make(name, ktap_text=KTAP, console="bench: done\n", **what):
        log = tmp_path / "logs" / name
        log.mkdir(parents=True)
        for file, text in (("Image", "kernel"), ("initramfs.cpio", "cpio"),
                           ("console.log", console), ("results.ktap", ktap_text),
                           ("command", COMMAND.format(log))):
            (log / file).write_text(text)
        (log / "boot.json").write_text(json.dumps(
            Boot("arm64-virt", run=("storm",)).facts("completed", 9) | what))
        return boots.Recorded(log, json.loads((log / "boot.json").read_text()),
                              shlex.split(COMMAND.format(log)))
    return make


def test_cases():
    """Results of a guest have the names that its init gives them on the console."""
    assert [(ktap.case(suite, name), verdict)
            for suite, name, verdict in ktap.cases(KTAP)] == CASES


def test_job(made_up, tmp_path):
    """A job has the boot's command line, its cases, and artifacts named by content."""
    job = lava.job(made_up("a"), lava.Artifacts(tmp_path / "out", URL))
    assert job["context"]["arch"] == "arm64"
    assert job["context"]["machine"] == "virt" and job["context"]["memory"] == "512"
    images = job["actions"][0]["deploy"]["images"]
    assert all(i["url"].startswith(URL + "/") for i in images.values())
    assert images["disk0"]["image_arg"] == (
        "-drive if=none,id=disk0,format=raw,file={disk0},throttling.iops-total=4")
    assert "panic=-1 bench.run=storm bench.console=1" in images["kernel"]["image_arg"]
    extra = job["context"]["extra_options"]
    assert "chardev:console" not in extra and "file,id=ktap,path=/dev/null" in extra
    assert extra.index("mptsas1068,id=hba0") < extra.index("scsi-hd,drive=disk0,bus=hba0.0")
    assert str(tmp_path) not in yaml.safe_dump(job)
    monitor, = job["actions"][2]["test"]["monitors"]
    assert monitor["expected"] == [
        "storm_no_i_o_error", "storm_memory", "storm", "io_check_8_bits",
        "io_check_parameters", "io_check"]
    assert len(list((tmp_path / "out").glob("*"))) == 3


def test_job_of_a_panic(made_up, tmp_path):
    """A kernel that has to panic: its word is the only case, and the guest stays."""
    boot = made_up("p", outcome="panic", tree="vanilla", console="x\nKernel panic - not syncing: Oops\n")
    job = lava.job(boot, lava.Artifacts(tmp_path / "out", URL))
    monitor, = job["actions"][2]["test"]["monitors"]
    assert monitor["expected"] == ["kernel_panic"] and "Kernel\\ panic" in monitor["pattern"]
    assert "panic=0 " in job["actions"][0]["deploy"]["images"]["kernel"]["image_arg"]


def test_left_to_the_bench(made_up):
    """What a farm cannot do says why."""
    assert lava.left(made_up("a")) == ""
    assert "gdb" in lava.left(made_up("b", beside="gdb"))
    assert "QEMU died" in lava.left(made_up("c", outcome="QEMU died of SIGABRT"))
    assert "panicked" in lava.left(made_up("e", outcome="panic"))
    assert "no case" in lava.left(made_up("d", ktap_text="KTAP version 1\n"))


def test_kcidb(made_up):
    """Cases are tests of a build of the series; what is cut short is refused."""
    good = made_up("a")
    whole = kcidb.submission("6.1", [good], "io_check", URL)
    assert [t["status"] for t in whole["tests"]] == [
        kcidb.STATUS[verdict] for _, verdict in CASES]
    assert whole["builds"][0]["checkout_id"] == whole["checkouts"][0]["id"]
    assert whole["tests"][0]["log_url"] == f"{URL}/logs/a/console.log"
    assert len({t["id"] for t in whole["tests"]}) == len(CASES)
    for name, how, why in (
            ("cut", {"ktap_text": KTAP.replace("1..2\n    ok", "1..3\n    ok")}, "the middle"),
            ("silent", {"console": ""}, "no console.log"),
            ("dead", {"outcome": "timeout"}, "timeout")):
        with pytest.raises(Error, match=f"{name}.*{why}"):
            kcidb.submission("6.1", [good, made_up(name, **how)], "io_check", "")


def tool(*words, text=""):
    """Run a tool of builds/farm.sh: (exit status, output)."""
    done = subprocess.run(list(map(str, words)), input=text, text=True,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    return done.returncode, done.stdout


def schema(job: dict) -> str:
    """What LAVA's schema has against a job, or ""."""
    return tool(FARM / "python", "-c",
                "import sys, yaml, lava_common.schemas as s\n"
                "try: s.validate(yaml.safe_load(sys.stdin), strict=True)\n"
                "except Exception as e: print(e)", text=yaml.safe_dump(job))[1].strip()


@pytest.mark.slow
def test_job_schema(made_up, tmp_path):
    """LAVA's schema takes the jobs, and refuses what is not one."""
    job = lava.job(made_up("a"), lava.Artifacts(tmp_path / "out", URL))
    assert schema(job) == ""
    for spoil in (lambda j: j.pop("timeouts"), lambda j: j.update(priority="soon"),
                  lambda j: j["actions"][1]["boot"].pop("method"),
                  lambda j: j["actions"][2]["test"]["monitors"][0].pop("pattern"),
                  lambda j: j["actions"][0]["deploy"]["images"]["kernel"].pop("url")):
        mutant = copy.deepcopy(job)
        spoil(mutant)
        assert schema(mutant)


@pytest.mark.slow
def test_kcidb_schema(made_up):
    """KCIDB's schema takes a submission, and refuses what is none."""
    check = ("import json, sys, kcidb_io\n"
             "kcidb_io.schema.V5_3.validate(json.load(sys.stdin))")
    whole = kcidb.submission("6.1", [made_up("a")], "io_check", URL)
    assert tool(FARM / "python", "-c", check, text=json.dumps(whole))[0] == 0
    for spoil in (lambda w: w["tests"][0].update(status="GREEN"),
                  lambda w: w["tests"][0].pop("build_id"),
                  lambda w: w["builds"][0].update(architecture="PA-RISC")):
        mutant = copy.deepcopy(whole)
        spoil(mutant)
        assert tool(FARM / "python", "-c", check, text=json.dumps(mutant))[0]


def in_tuxrun(boot: boots.Recorded, tmp_path) -> dict[str, str]:
    """Run a boot's job: {case: "pass", "fail" or "skip"}.

    tuxrun's exit status is 2 for each suite that it was not told of, green or red.
    """
    jobs = tmp_path / boot.name
    jobs.mkdir()
    job = lava.job(boot, lava.Artifacts(tmp_path / "artifacts",
                                        f"file://{tmp_path}/artifacts"))
    assert schema(job) == ""
    (jobs / "job.yaml").write_text(yaml.safe_dump(job))
    done = subprocess.run(
        ["env", f"PATH={FARM}:/usr/sbin:/usr/bin:/sbin:/bin", FARM / "tuxrun",
         "--runtime", "null", "--device", "qemu-lava",
         "--dispatcher-download-dir", jobs / "dispatcher",
         "--job-definition", f"file://{jobs}/job.yaml",
         "--results", jobs / "results.json", "--log-file", jobs / "log"],
        # lava-run writes where it is
        cwd=jobs, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    assert (jobs / "results.json").is_file(), done.stdout
    found = json.loads((jobs / "results.json").read_text())
    name = job["actions"][2]["test"]["monitors"][0]["name"]
    assert found["lava"]["job"]["result"] == "pass", done.stdout
    return {case: result["result"] for case, result in found.get(name, {}).items()}


@pytest.mark.slow
@pytest.mark.parametrize("append", ["", "io_check_nohook"], ids=["good", "no hook"])
def test_tuxrun(append, tmp_path):
    """tuxrun's verdicts of a job are the bench's of the boot: of two suites, and of one
    with checked accesses as fatal as plain ones, which has to panic."""
    boot = Boot("arm64-virt", base=BASE, append=append,
                run=("registers",) if append else ("registers", "kunit:io_check"),
                log=paths.BUILD / "farm-boots" / f"arm64-virt{append}")
    result = process.run(boot)
    assert result.outcome == ("panic" if append else "completed")
    recorded = next(b for b in boots.recorded(BASE) if b.log == boot.log)
    mine = ({lava.case_id(recorded.panic()): "pass"} if append else
            {lava.case_id(case): verdict for case, verdict in recorded.cases()})
    assert in_tuxrun(recorded, tmp_path) == mine


@pytest.mark.slow
def test_tuxrun_red(tmp_path):
    """A case that a job expects, and that the guest does not have, fails."""
    boot = Boot("arm64-virt", base=BASE, run=("registers",),
                log=paths.BUILD / "farm-boots" / "arm64-virt-red")
    assert process.run(boot).outcome == "completed"
    recorded = next(b for b in boots.recorded(BASE) if b.log == boot.log)
    (boot.log / "results.ktap").write_text(
        recorded.ktap.replace("ok 1 registers", "    ok 9 never\nok 1 registers"))
    theirs = in_tuxrun(recorded, tmp_path)
    assert theirs.pop("registers_never") == "fail"
    assert set(theirs.values()) == {"pass"}
