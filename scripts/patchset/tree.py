# SPDX-License-Identifier: GPL-2.0
"""A tree to work in: build/BASE/tree, a git repository with one commit a patch.

Its ref refs/series/made is the series as it was when the tree was made or refreshed.
"""

import re
import shutil
import subprocess

from .base import clone_tree
from .files import BUILD, TOP, Error, git
from .repo import repo_on_tree

MADE = "refs/series/made"


def directory(base):
    """The tree of a base."""
    return BUILD / base / "tree"


def cmd_tree(args):
    """Expand a full tree with one commit a patch, to work in.

    Hunks that do not apply are left in FILE.rej, to be resolved there.
    """
    repo, vanilla = repo_on_tree(args.base, strict=False)
    dest = directory(args.base)
    if dest.is_dir():
        raise Error(f"{dest.relative_to(TOP)} exists\n"
                    "remedy: make refresh writes its commits into the patches; "
                    f"rm -rf {dest.relative_to(TOP)} throws them away")
    # no links: an editor that writes in place would change vanilla as well
    clone_tree(vanilla, dest, link=False)
    repo.expand(dest, repo.head, vanilla)
    # the tree's own repository: only touched files are under git
    (dest / ".git").mkdir()
    shutil.copytree(repo.dir, dest / ".git", dirs_exist_ok=True)
    git("config", "core.bare", "false", cwd=dest)
    # a cover letter in a commit of its own would be a patch of the series
    git("config", "b4.prep-cover-strategy", "branch-description", cwd=dest)
    (dest / ".git/info").mkdir(exist_ok=True)
    (dest / ".gitignore").unlink(missing_ok=True)
    (dest / ".git/info/exclude").write_text("/*\n")
    git("update-ref", MADE, repo.head, cwd=dest)
    # for git rebase -i, git format-patch and b4 prep
    git("update-ref", "refs/heads/base", root(dest, repo.head), cwd=dest)
    git("reset", "-q", "series", cwd=dest)
    for (patch, path), hunks in repo.rejects.items():
        with open(f"{dest / path}.rej", "a") as file:
            file.write(f"{patch}\n{hunks}")
        print(f"  REJECT  {path}.rej of {patch}")
    print(f"{dest.relative_to(TOP)}: branch series, a commit a patch, on branch base.\n"
          "Git has the files that patches touch: git add -f others that you edit or add.\n"
          "Edit, amend or rebase; then make refresh.")


def root(dest, commit):
    """The commit of the base below a commit."""
    return git("rev-list", "--max-parents=0", commit, cwd=dest).decode().strip()


def commits(dest, head):
    """The commits from the base's to head, the oldest first."""
    return git("rev-list", "--reverse", f"{root(dest, head)}..{head}",
               cwd=dest).decode().split()


def field(dest, commit, what):
    """A field of a commit, in git log's format."""
    return git("show", "-s", f"--format={what}", commit, cwd=dest).decode().rstrip("\n")


def to_bring_back(dest):
    """The commits of HEAD that are to be patches; raise Error if there is a doubt."""
    name = dest.relative_to(TOP)
    if git("status", "--porcelain", "-uno", cwd=dest).strip():
        raise Error(f"{name} has uncommitted edits\n"
                    "remedy: commit or amend them there first")
    if git("rev-list", "--merges", "HEAD", cwd=dest).strip():
        raise Error(f"{name} has a merge\nremedy: git rebase it away")
    found, subjects = [], set()
    for commit in commits(dest, "HEAD"):
        subject = field(dest, commit, "%s")
        if re.match(r"(fixup|squash|amend)! ", subject):
            raise Error(f"commit '{subject}' is not squashed\nremedy: in {name} "
                        "git rebase -i --autosquash base")
        if subject in subjects:
            raise Error(f"two commits are called '{subject}'\n"
                        "remedy: squash them, or give one another subject")
        if field(dest, f"{commit}^", "%T") == field(dest, commit, "%T"):
            print(f"  SKIP    '{subject}': the commit is empty")
            continue
        subjects.add(subject)
        found.append(commit)
    return found


def forgotten(dest, vanilla):
    """Files of the tree that were edited or added, and are not under git.

    Objects, directories of builds, rejects and backups are none.
    """
    stamp = dest / ".git/info/exclude"
    run = subprocess.run(
        ["find", ".", "(", "-name", ".git", "-o", "-name", "O.*", ")", "-prune", "-o",
         "-type", "f", "-newer", stamp, "!", "-name", "*.o", "!", "-name", "*.rej",
         "!", "-name", "*.orig", "!", "-name", "*~", "!", "-name", ".*", "-print"],
        cwd=dest, check=True, capture_output=True, text=True)
    tracked = set(git("ls-files", cwd=dest).decode().splitlines())
    found = sorted(set(line[2:] for line in run.stdout.splitlines()) - tracked)
    return [path for path in found if not (vanilla / path).is_file() or
            (vanilla / path).read_bytes() != (dest / path).read_bytes()]


def matched(dest, patches, found):
    """[(commit, its Patch, or None if it is new)] for the commits found.

    A commit belongs to the patch of its subject; if it has another subject now,
    to the one that git range-diff takes for the same.
    """
    made = commits(dest, MADE)
    subjects = {field(dest, c, "%s"): p for c, p in zip(made, patches)}
    owner = {c: subjects[s] for c in found if (s := field(dest, c, "%s")) in subjects}
    if len(owner) < len(found) and len(owner) < len(patches):
        text = git("range-diff", "--no-color", "--no-patch",
                   f"{root(dest, MADE)}..{MADE}", f"{root(dest, 'HEAD')}..HEAD",
                   cwd=dest).decode()
        head = commits(dest, "HEAD")
        for old, new in re.findall(r"^\s*(\d+):\s+\S+ [=!]\s+(\d+):", text, re.M):
            commit, patch = head[int(new) - 1], patches[int(old) - 1]
            if commit in found and patch not in owner.values():
                owner.setdefault(commit, patch)
    return [(commit, owner.get(commit)) for commit in found]
