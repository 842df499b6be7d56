// Package codexwire holds what the two dialects of Codex have in common: that of codex exec, whose members are named
// like_this, and that of codex app-server, whose members are named likeThis. The items inside are the same.
//
// What is read aliases the value that it was read from, or is memory of the scratch.
package codexwire

import (
	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/internal/rawjson"
)

// Status is the status that ends a call; none while it runs. completed says that the record is the last of its item: a word
// that is not known then means that nothing went wrong, as items that have no status cannot fail.
func Status(status []byte, completed bool) hub.Status {
	switch string(status) {
	case "completed":
		return hub.StatusOK
	case "failed":
		return hub.StatusError
	case "declined":
		return hub.StatusDenied
	case "interrupted":
		return hub.StatusAborted
	}
	if completed {
		return hub.StatusOK
	}
	return hub.StatusNone
}

// OrElse is body, or fallback where there is none.
func OrElse(body, fallback []byte) []byte {
	if len(body) > 0 {
		return body
	}
	return fallback
}

// Qualified is the name of an MCP tool behind that of its server.
func Qualified(server, tool []byte, s *hub.Scratch) []byte {
	return s.Since(append(append(append(s.Begin(), server...), '.'), tool...))
}

// Object makes an object of one member, nil if there is no value.
func Object(name string, v rawjson.Value, s *hub.Scratch) rawjson.Value {
	if v == nil {
		return nil
	}
	b := append(append(append(s.Begin(), `{"`...), name...), `":`...)
	return s.Since(append(append(b, v...), '}'))
}

// Locations are the paths of changes to files, nil if none has one.
func Locations(changes rawjson.Value, s *hub.Scratch) rawjson.Value {
	b := append(s.Begin(), '[')
	n := len(b)
	for v := range rawjson.Each(changes) {
		if path := rawjson.Text(v, "path"); len(path) > 0 {
			b = append(append(append(b, `{"path":"`...), path...), `"},`...)
		}
	}
	if len(b) == n {
		return nil
	}
	b[len(b)-1] = ']'
	return s.Since(b)
}

const exitCode = "exit code "

// ExitError is what is said of a command that failed with a code: nothing else is.
func ExitError(dst []byte, code rawjson.Value) []byte {
	return append(append(dst, exitCode...), code...)
}

// ReadCommand reads how a command ended. ev has its status.
func ReadCommand(ev *hub.Event, output, code rawjson.Value, s *hub.Scratch) {
	ev.Text = rawjson.Body(output)
	if ev.Status == hub.StatusError && rawjson.Kind(code) == '0' {
		more := s.MoreOf(ev)
		more.ErrCode = code
		more.Err = s.Since(ExitError(s.Begin(), code))
	}
}

// ReadError reads why a call did not end well. ev has its status.
func ReadError(ev *hub.Event, fault rawjson.Value, s *hub.Scratch) {
	if message := rawjson.Text(fault, "message"); ev.Status != hub.StatusOK && message != nil {
		s.MoreOf(ev).Err = message
	}
}

// ReadMCP reads the result of an MCP tool: its texts, and all of it as content blocks. structured is the name of the member
// that is the result if there is no content.
func ReadMCP(ev *hub.Event, result rawjson.Value, structured string, s *hub.Scratch) {
	content := rawjson.Get(result, "content")
	text, blocks := s.Begin(), 0
	start := len(text)
	for block := range rawjson.Each(content) {
		blocks++
		if string(rawjson.Text(block, "type")) != "text" {
			continue
		}
		if piece := rawjson.Text(block, "text"); len(piece) > 0 {
			if len(text) > start {
				text = append(text, `\n`...)
			}
			text = append(text, piece...)
		}
	}
	if body := s.Since(text); len(body) > 0 {
		ev.Text = body
	}
	if v := rawjson.Get(result, structured); blocks == 0 && !rawjson.IsNull(v) {
		ev.Value = v
		return
	}
	if blocks > 0 {
		s.MoreOf(ev).Content = wrapped(content, s)
	}
}

// wrapped makes content blocks of the model of those of MCP, which are the same inside.
func wrapped(content rawjson.Value, s *hub.Scratch) rawjson.Value {
	b := append(s.Begin(), '[')
	for block := range rawjson.Each(content) {
		b = append(append(append(b, `{"type":"content","content":`...), block...), `},`...)
	}
	b[len(b)-1] = ']'
	return s.Since(b)
}
