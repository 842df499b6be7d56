package demo

import (
	"fmt"
	"io"
	"strings"
	"time"

	"go.uber.org/zap"
	"go.uber.org/zap/zapcore"

	"github.com/sabir-proxy/sabir/cmd/sabir/internal/term"
)

// reporter is a logger for people: of what the proxy logs it shows only how streams ended, a line each.
type reporter struct {
	w     io.Writer
	style term.Style
}

func newReporter(w io.Writer, s term.Style) *zap.Logger {
	return zap.New(&reporter{w: zapcore.Lock(zapcore.AddSync(w)), style: s})
}

// Enabled implements zapcore.Core.
func (r *reporter) Enabled(level zapcore.Level) bool { return level >= zapcore.InfoLevel }

// With implements zapcore.Core. Nothing that is shown comes from there.
func (r *reporter) With([]zapcore.Field) zapcore.Core { return r }

// Check implements zapcore.Core.
func (r *reporter) Check(e zapcore.Entry, c *zapcore.CheckedEntry) *zapcore.CheckedEntry {
	if e.Message == "stream ended" || e.Message == "request rejected" || e.Level >= zapcore.ErrorLevel {
		return c.AddCore(e, r)
	}
	return c
}

// Write implements zapcore.Core.
func (r *reporter) Write(e zapcore.Entry, fields []zapcore.Field) error {
	m := zapcore.NewMapObjectEncoder()
	for _, f := range fields {
		f.AddTo(m)
	}
	line := "  " + r.style.Paint(term.Dim, e.Time.Format(time.TimeOnly)) + "  "
	switch e.Message {
	case "stream ended":
		line += r.stream(m.Fields["route"], m.Fields["ending"]) + counts(m.Fields)
	case "request rejected":
		line += r.stream(m.Fields["path"], m.Fields["code"])
	default:
		line += r.style.Paint(term.Red, e.Message)
	}
	_, err := io.WriteString(r.w, strings.TrimRight(line, " ")+"\n")
	return err
}

// stream is the path of a stream and how it has ended, in two columns; a long path takes room of the second.
func (r *reporter) stream(name, ending any) string {
	const pathWidth, endingWidth = 12, 16
	path, text, paint := term.Pad(fmt.Sprint(name), pathWidth), fmt.Sprint(ending), term.Yellow
	if text == "done" {
		paint = term.Green
	}
	return path + "  " + r.style.Cell(paint, text, max(endingWidth+pathWidth-term.Len(path), term.Len(text))) + "  "
}

// counts says how much a stream was.
func counts(f map[string]any) string {
	records, _ := f["records"].(int64)
	events, _ := f["events_out"].(int64)
	repairs, _ := f["repairs"].(uint64)
	if f["from"] == f["to"] {
		return count(int(records), "record") + " copied"
	}
	return fmt.Sprintf("%s, %s, %s", count(int(records), "record"), count(int(events), "event"), count(int(repairs), "repair"))
}

// Sync implements zapcore.Core.
func (r *reporter) Sync() error { return nil }
