//! Modules that Python loads in the place of one of its own, or of a library for tests.

/// Whether the file at `path` is, or is in, a module of Python in a folder from which tests import, and the module has the
/// name of one of Python's own or of a library for tests. A file that was there before is known to be source of the program.
pub(super) fn is_shadow(path: &str) -> bool {
    let path = path.strip_prefix("src/").unwrap_or(path);
    let (module, ending) = match path.split_once('/') {
        Some((folder, rest)) => (folder, rest.rsplit_once('.').map(|(_, ending)| ending)),
        None => (path.split('.').next().unwrap_or_default(), path.rsplit_once('.').map(|(_, ending)| ending)),
    };
    ending.is_some_and(|ending| ["py", "pyc", "so", "pyd"].contains(&ending))
        && MODULES.split_ascii_whitespace().any(|known| known == module)
}

const MODULES: &str = "\
    _pytest abc argparse array ast asyncio atexit base64 bdb binascii bisect builtins bz2 cProfile calendar cgi \
    cmath cmd code codecs codeop collections colorsys compileall concurrent configparser contextlib contextvars \
    copy copyreg coverage csv ctypes curses dataclasses datetime dbm decimal difflib dis doctest email encodings \
    enum errno exceptiongroup faulthandler fcntl filecmp fileinput fnmatch fractions freezegun ftplib functools \
    gc genericpath getopt getpass gettext glob graphlib grp gzip hashlib heapq hmac html http hypothesis imaplib \
    imp importlib iniconfig inspect io ipaddress itertools json keyword linecache locale logging lzma mailbox \
    marshal math mimetypes mmap mock modulefinder multiprocessing netrc nose nose2 ntpath numbers opcode \
    operator optparse os pathlib pdb pickle pickletools pkgutil platform plistlib pluggy poplib posix \
    posixpath pprint profile pstats pty pwd py_compile pyclbr pydoc pytest pytest_asyncio pytest_cov \
    pytest_mock queue quopri random re readline reprlib resource rlcompleter runpy sched secrets select \
    selectors shelve shlex shutil signal site smtplib socket socketserver sqlite3 ssl stat statistics string \
    stringprep struct subprocess symtable sys sysconfig syslog tarfile tempfile termios testfixtures testtools \
    textwrap threading time timeit token tokenize tomli tomllib tox trace traceback tracemalloc tty types typing \
    unicodedata unittest urllib uuid venv warnings wave weakref webbrowser wsgiref xdist xml xmlrpc zipapp \
    zipfile zipimport zlib zoneinfo \
    ";
