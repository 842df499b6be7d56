package hub

import (
	"bytes"
	"fmt"
	"hash/fnv"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/sabir-proxy/sabir/adapters/internal/rawjson"
)

// A NameRule is what the API of a model takes as the name of a tool, or as the id of a call. It refuses a whole request for one name
// that is different, also one in the history.
type NameRule struct {
	Max    int    // bytes
	Marks  string // what may stand in it beside letters and digits of ASCII; "": anything may
	Letter bool   // it begins with a letter or an underscore
	Keep   string // names with this in them stay as they are, as servers have made them that read them again; "": none do
}

// allows reports whether a name, a string body, can stay as it is.
func (r *NameRule) allows(name []byte) bool {
	if r == nil || len(name) == 0 || r.Keep != "" && bytes.Contains(name, []byte(r.Keep)) {
		return true
	}
	if len(name) > r.Max || !r.begins(name[0]) {
		return false
	}
	if r.Marks == "" {
		return true
	}
	for _, c := range name {
		if !r.has(c) {
			return false
		}
	}
	return true
}

func (r *NameRule) begins(c byte) bool { return !r.Letter || c == '_' || isLetter(c) }

func (r *NameRule) has(c byte) bool {
	return isLetter(c) || c >= '0' && c <= '9' || strings.IndexByte(r.Marks, c) >= 0
}

func isLetter(c byte) bool { return c|0x20 >= 'a' && c|0x20 <= 'z' }

// legal is the name in a form that the rule allows: what it does not allow is an underscore, and a hash tells it from others that
// look alike then. It depends on nothing but the name, so that a tool is called alike in each turn of a conversation.
func (r *NameRule) legal(name []byte) []byte {
	plain := rawjson.AppendUnescaped(nil, name)
	hash := fnv.New32a()
	hash.Write(plain)
	tag := fmt.Appendf(nil, "_%08x", hash.Sum32())
	var out []byte
	if !r.begins(plain[0]) {
		out = append(out, '_')
	}
	for _, c := range string(plain) {
		if c < utf8.RuneSelf && r.Marks == "" || c < utf8.RuneSelf && r.has(byte(c)) {
			out = append(out, byte(c))
		} else {
			out = append(out, '_')
		}
	}
	return append(out[:min(len(out), r.Max-len(tag))], tag...)
}

// withLegalNames makes names of tools and ids of calls such that agents of the dialect take the request, and notes in the request
// what tools are called then, so that the answer can be about those that the client knows.
func (d *Dialect) withLegalNames(write requestWriter) requestWriter {
	if d.ToolNames == nil || write == nil {
		return write
	}
	return func(dst []byte, req *Request, l *Losses) ([]byte, error) {
		n := namer{tools: d.ToolNames, calls: d.CallIDs}
		written := n.request(req)
		req.Renamed = n.plain
		return write(dst, written, l)
	}
}

// namer renames what one request names.
type namer struct {
	tools, calls *NameRule
	plain        map[string][]byte // by the name that is written
}

// request is the request with legal names; itself if all are.
func (n *namer) request(req *Request) *Request {
	if !n.finds(req) {
		return req
	}
	own := *req
	own.Messages = slices.Clone(req.Messages)
	for i := range own.Messages {
		own.Messages[i].Parts = n.parts(own.Messages[i].Parts)
	}
	own.Tools.Defs = slices.Clone(req.Tools.Defs)
	for i := range own.Tools.Defs {
		own.Tools.Defs[i].Name = n.tool(own.Tools.Defs[i].Name)
	}
	own.Choice.Names = slices.Clone(req.Choice.Names)
	for i, name := range own.Choice.Names {
		own.Choice.Names[i] = n.tool(name)
	}
	return &own
}

// finds reports whether the request names something in a way that is not allowed.
func (n *namer) finds(req *Request) bool {
	for i := range req.Tools.Defs {
		if !n.tools.allows(req.Tools.Defs[i].Name) {
			return true
		}
	}
	for i := range req.Messages {
		if n.findsIn(req.Messages[i].Parts) {
			return true
		}
	}
	return slices.ContainsFunc(req.Choice.Names, func(name []byte) bool { return !n.tools.allows(name) })
}

func (n *namer) findsIn(parts []Part) bool {
	for i := range parts {
		if p := &parts[i]; p.Kind == PartCall && !(n.tools.allows(p.Name) && n.calls.allows(p.ID)) {
			return true
		}
	}
	return false
}

func (n *namer) parts(parts []Part) []Part {
	own := slices.Clone(parts)
	for i := range own {
		if p := &own[i]; p.Kind == PartCall {
			p.Name, p.ID = n.tool(p.Name), n.call(p.ID)
		}
	}
	return own
}

func (n *namer) call(id []byte) []byte {
	if n.calls.allows(id) {
		return id
	}
	return n.calls.legal(id)
}

func (n *namer) tool(name []byte) []byte {
	if n.tools.allows(name) {
		return name
	}
	legal := n.tools.legal(name)
	if n.plain == nil {
		n.plain = map[string][]byte{}
	}
	n.plain[string(legal)] = bytes.Clone(name)
	return legal
}
