package evolve

import (
	"bytes"
	"slices"
	"strconv"

	"github.com/sabir-proxy/sabir/adapters/internal/member"
	"github.com/sabir-proxy/sabir/adapters/internal/rawjson"
)

// A tool of this dialect has a title for people and a kind for icons, but, in older versions, no name. The tables here
// go both ways: a name from title and kind, and title, kind, content and locations from name and arguments, as the SDK
// makes them for the tools of Claude Code. All texts are bodies of JSON strings.

// look is how a tool is shown.
type look struct {
	kind  string
	title func(dst []byte, in rawjson.Value) []byte
	text  string // argument that is shown as content
	path  string // argument that names the file
	diff  [2]string
}

var looks = map[string]look{
	"Task":         {kind: "think", title: taskTitle, text: "prompt"},
	"Read":         {kind: "read", title: readTitle, path: "file_path"},
	"NotebookRead": {kind: "read", title: pathTitle("Read Notebook", "notebook_path", "", ""), path: "notebook_path"},
	"NotebookEdit": {kind: "edit", title: pathTitle("Edit Notebook", "notebook_path", "", ""), path: "notebook_path", text: "new_source"},
	"Edit":         {kind: "edit", title: pathTitle("Edit", "file_path", "`", "`"), path: "file_path", diff: [2]string{"old_string", "new_string"}},
	"Write":        {kind: "edit", title: pathTitle("Write", "file_path", "", ""), path: "file_path", diff: [2]string{"", "content"}},
	"Bash":         {kind: "execute", title: bashTitle, text: "description"},
	"BashOutput":   {kind: "execute", title: fixedTitle("Tail Logs")},
	"KillShell":    {kind: "execute", title: fixedTitle("Kill Process")},
	"Glob":         {kind: "search", title: globTitle, path: "path"},
	"Grep":         {kind: "search", title: grepTitle},
	"LS":           {kind: "search", title: listTitle},
	"WebFetch":     {kind: "fetch", title: pathTitle("Fetch", "url", "", ""), text: "prompt"},
	"WebSearch":    {kind: "fetch", title: searchTitle},
	"ExitPlanMode": {kind: "switch_mode", title: fixedTitle("Ready to code?"), text: "plan"},
}

// kinds are the names of the protocol's own kinds; a tool with such a name is of that kind.
var kinds = [...]string{"read", "edit", "delete", "move", "search", "execute", "think", "fetch", "switch_mode", "other"}

// mcpPrefix begins the names that Claude Code gives to tools of MCP servers: mcp__server__tool.
const mcpPrefix = "mcp__"

// kindOf is the kind of a tool with this name; options is the kinds option.
func kindOf(name []byte, options map[string]string) string {
	if k, ok := options[string(name)]; ok {
		return k
	}
	if l, ok := looks[string(name)]; ok {
		return l.kind
	}
	if slices.Contains(kinds[:], string(name)) {
		return string(name)
	}
	return "other"
}

// appendToolName appends a name for a tool that has only a title and a kind.
func appendToolName(dst, title, kind []byte) []byte {
	isOther := len(kind) == 0 || string(kind) == "other"
	if server, tool, ok := bytes.Cut(title, []byte(": ")); ok && isOther && isName(server) && isName(tool) {
		dst = append(append(dst, mcpPrefix...), server...)
		return append(append(dst, "__"...), tool...)
	}
	switch {
	case !isOther:
		return append(dst, kind...)
	case len(title) > 0:
		return append(dst, title...)
	}
	return append(dst, "unknown"...)
}

// isName reports whether p looks like the name of a server or tool rather than like words.
func isName(p []byte) bool {
	for _, c := range p {
		switch {
		case 'a' <= c && c <= 'z', 'A' <= c && c <= 'Z', '0' <= c && c <= '9', c == '_', c == '-', c == '.':
		default:
			return false
		}
	}
	return len(p) > 0
}

// appendTitle appends the title of a call of the tool name with the arguments in.
func appendTitle(dst, name []byte, in rawjson.Value) []byte {
	if l, ok := looks[string(name)]; ok {
		return l.title(dst, in)
	}
	if rest, ok := bytes.CutPrefix(name, []byte(mcpPrefix)); ok {
		server, tool, found := bytes.Cut(rest, []byte("__"))
		if found && len(server) > 0 && len(tool) > 0 {
			return append(appendIn(dst, "", server, ": "), tool...)
		}
	}
	return append(dst, name...)
}

// appendLook appends the members content and locations that the table has for a call, if any. Lines count from base.
func appendLook(dst, name []byte, in rawjson.Value, base int64) []byte {
	l := looks[string(name)]
	path := argument(in, l.path)
	switch {
	case l.diff[1] != "" && path != nil:
		dst = appendIn(dst, `,"content":[{"type":"diff","path":"`, path, `","oldText":`)
		if old := argument(in, l.diff[0]); old != nil {
			dst = rawjson.AppendQuoted(dst, old)
		} else {
			dst = append(dst, "null"...)
		}
		dst = appendIn(dst, `,"newText":"`, argument(in, l.diff[1]), `"}]`)
	case len(argument(in, l.text)) > 0:
		dst = appendTextContent(append(dst, `,"content":`...), argument(in, l.text))
	}
	if path == nil {
		return dst
	}
	dst = appendIn(dst, `,"locations":[{"path":"`, path, `"`)
	if string(name) == "Read" {
		line, _ := rawjson.Int(rawjson.Get(in, "offset"))
		dst = member.AppendInt(dst, `,"line":`, line+base)
	}
	return append(dst, `}]`...)
}

// appendTextContent appends a tool's content that is one text.
func appendTextContent(dst, body []byte) []byte {
	dst = append(dst, `[{"type":"content","content":{"type":"text","text":"`...)
	return append(append(dst, body...), `"}}]`...)
}

// argument returns a string argument, nil if there is none.
func argument(in rawjson.Value, name string) []byte {
	if name == "" {
		return nil
	}
	return rawjson.Text(in, name)
}

func fixedTitle(title string) func([]byte, rawjson.Value) []byte {
	return func(dst []byte, _ rawjson.Value) []byte { return append(dst, title...) }
}

// pathTitle makes titles of a verb and an argument between two marks; of the verb alone where the argument is missing.
func pathTitle(verb, arg, left, right string) func([]byte, rawjson.Value) []byte {
	return func(dst []byte, in rawjson.Value) []byte {
		dst = append(dst, verb...)
		if val := argument(in, arg); len(val) > 0 {
			dst = appendIn(append(dst, ' '), left, val, right)
		}
		return dst
	}
}

func taskTitle(dst []byte, in rawjson.Value) []byte {
	return append(dst, rawjson.Or(argument(in, "description"), "Task")...)
}

// bashTitle puts the command between backticks; those in it get a backslash, which in a string body is two.
func bashTitle(dst []byte, in rawjson.Value) []byte {
	val := argument(in, "command")
	if len(val) == 0 {
		return append(dst, "Terminal"...)
	}
	return appendIn(dst, "`", bytes.ReplaceAll(val, []byte("`"), []byte("\\\\`")), "`")
}

// readTitle names the lines as people count them, from 1; the argument offset counts from 0.
func readTitle(dst []byte, in rawjson.Value) []byte {
	dst = append(dst, "Read "...)
	if val := argument(in, "file_path"); val != nil {
		dst = append(dst, val...)
	} else {
		dst = append(dst, "File"...)
	}
	offset, _ := rawjson.Int(rawjson.Get(in, "offset"))
	limit, _ := rawjson.Int(rawjson.Get(in, "limit"))
	switch {
	case limit > 0:
		dst = member.AppendInt(dst, " (", offset+1)
		return append(member.AppendInt(dst, " - ", offset+limit), ')')
	case offset > 0:
		return append(member.AppendInt(dst, " (from line ", offset+1), ')')
	}
	return dst
}

func globTitle(dst []byte, in rawjson.Value) []byte {
	dst = append(dst, "Find"...)
	for _, arg := range [...]string{"path", "pattern"} {
		if val := argument(in, arg); len(val) > 0 {
			dst = appendIn(dst, " `", val, "`")
		}
	}
	return dst
}

func listTitle(dst []byte, in rawjson.Value) []byte {
	if val := argument(in, "path"); len(val) > 0 {
		return appendIn(dst, "List `", val, "` directory")
	}
	return append(dst, "List current directory"...)
}

// grepTitle is the command line that the arguments stand for.
func grepTitle(dst []byte, in rawjson.Value) []byte {
	dst = append(dst, "grep"...)
	for _, flag := range [...]string{"-i", "-n"} {
		if on, _ := rawjson.Bool(rawjson.Get(in, flag)); on {
			dst = append(append(dst, ' '), flag...)
		}
	}
	for _, flag := range [...]string{"-A", "-B", "-C"} {
		if n, ok := rawjson.Int(rawjson.Get(in, flag)); ok {
			dst = strconv.AppendInt(appendIn(dst, " ", flag, " "), n, 10)
		}
	}
	switch string(argument(in, "output_mode")) {
	case "files_with_matches":
		dst = append(dst, " -l"...)
	case "count":
		dst = append(dst, " -c"...)
	}
	if n, ok := rawjson.Int(rawjson.Get(in, "head_limit")); ok {
		dst = member.AppendInt(dst, " | head -", n)
	}
	if val := argument(in, "glob"); len(val) > 0 {
		dst = appendIn(dst, ` --include=\"`, val, `\"`)
	}
	if val := argument(in, "type"); len(val) > 0 {
		dst = append(append(dst, " --type="...), val...)
	}
	if on, _ := rawjson.Bool(rawjson.Get(in, "multiline")); on {
		dst = append(dst, " -P"...)
	}
	dst = appendIn(dst, ` \"`, argument(in, "pattern"), `\"`)
	if val := argument(in, "path"); len(val) > 0 {
		dst = append(append(dst, ' '), val...)
	}
	return dst
}

func searchTitle(dst []byte, in rawjson.Value) []byte {
	dst = appendIn(dst, `\"`, argument(in, "query"), `\"`)
	for _, list := range [...]struct{ arg, label string }{{"allowed_domains", " (allowed: "}, {"blocked_domains", " (blocked: "}} {
		dst = appendDomains(dst, rawjson.Get(in, list.arg), list.label)
	}
	return dst
}

func appendDomains(dst []byte, list rawjson.Value, label string) []byte {
	open := label
	for v := range rawjson.Each(list) {
		dst = append(append(dst, open...), rawjson.Body(v)...)
		open = ", "
	}
	if open == label {
		return dst // none
	}
	return append(dst, ')')
}
