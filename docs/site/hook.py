"""What mkdocs does to the pages besides: links that leave docs/ lead to the repository, where what they name is.

A link to a file that is not there is a warning, which strict makes an error, as for links between pages.
"""

import logging
import posixpath
import re
from pathlib import Path

log = logging.getLogger("mkdocs.hooks.site")
comment = re.compile(r"\A<!--.*?-->\s*", re.DOTALL)
link = re.compile(r"(?<=\]\()(?P<path>\.\.?/[^)\s#]*)(?P<rest>[^)]*)(?=\))")


def on_page_markdown(markdown, page, config, files):
    root = Path(config.config_file_path).parent
    here = posixpath.join("docs", posixpath.dirname(page.file.src_uri))

    def lead(m):
        path = posixpath.normpath(posixpath.join(here, m["path"]))
        if path.startswith("docs/"):
            return m[0]
        if not (root / path).exists():
            log.warning("Doc file '%s' contains a link '%s', but there is no '%s' in the repository.", page.file.src_uri, m["path"], path)
        kind = "tree" if (root / path).is_dir() else "blob"
        return f"{config.extra['repository']}/{kind}/main/{path}{m['rest']}"

    # A comment before the title, as generated pages have, would hide the title from the navigation.
    return link.sub(lead, comment.sub("", markdown))
