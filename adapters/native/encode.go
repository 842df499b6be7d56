package native

import (
	"strconv"

	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/internal/rawjson"
	"github.com/sabir-proxy/sabir/adapters/wire"
)

// encoder has no state: every event is a record of its own.
type encoder struct{}

func (encoder) Encode(out *wire.Out, ev *hub.Event) hub.Disposition {
	out.Begin("")
	out.Buf = Append(out.Buf, ev)
	out.End()
	return hub.Native
}

func (encoder) Finish(*wire.Out) {}

func (encoder) Reset() {}

// Append appends ev as one JSON object, without a newline. Values are spliced as they are.
func Append(dst []byte, ev *hub.Event) []byte {
	dst = append(dst, `{"kind":"`...)
	dst = append(dst, ev.Kind.String()...)
	dst = append(dst, '"')
	dst = appendNames(dst, ev)
	if ev.Flags != 0 {
		dst = appendFlags(dst, ev.Flags)
	}
	if ev.Seq != 0 {
		dst = append(dst, `,"seq":`...)
		dst = strconv.AppendUint(dst, ev.Seq, 10)
	}
	dst = appendBody(dst, `,"lane":`, ev.SubAgent)
	dst = appendBody(dst, `,"msg":`, ev.Msg)
	dst = appendBody(dst, `,"id":`, ev.ID)
	dst = appendBody(dst, `,"ref":`, ev.Ref)
	dst = appendBody(dst, `,"name":`, ev.Name)
	dst = appendBody(dst, `,"title":`, ev.Title)
	if ev.Text != nil {
		dst = append(dst, `,"text":`...)
		dst = rawjson.AppendQuoted(dst, ev.Text)
	}
	dst = appendRaw(dst, `,"value":`, ev.Value)
	if ev.More != nil {
		dst = appendMore(dst, ev.Kind, ev.More)
	}
	return append(dst, '}')
}

// appendNames appends the members with closed vocabularies; their zero values are absent.
func appendNames(dst []byte, ev *hub.Event) []byte {
	if ev.Status != hub.StatusNone {
		dst = appendName(dst, `,"status":"`, ev.Status.String())
	}
	if ev.Chan != hub.AnswerText {
		dst = appendName(dst, `,"chan":"`, ev.Chan.String())
	}
	if ev.Op != hub.Append {
		dst = appendName(dst, `,"op":"`, ev.Op.String())
	}
	if ev.Level != hub.LevelNone {
		dst = appendName(dst, `,"level":"`, ev.Level.String())
	}
	if ev.Scope != hub.ScopeNone {
		dst = appendName(dst, `,"scope":"`, ev.Scope.String())
	}
	if ev.AskKind != hub.AskNone {
		dst = appendName(dst, `,"what":"`, ev.AskKind.String())
	}
	return dst
}

func appendName(dst []byte, member, name string) []byte {
	dst = append(dst, member...)
	dst = append(dst, name...)
	return append(dst, '"')
}

func appendFlags(dst []byte, flags hub.Flags) []byte {
	dst = append(dst, `,"flags":[`...)
	for i, name := range hub.FlagNames() {
		if flags.Has(1 << i) {
			dst = append(dst, '"')
			dst = append(dst, name...)
			dst = append(dst, `",`...)
		}
	}
	dst[len(dst)-1] = ']' // over the last comma
	return dst
}

// appendBody appends a string member unless it is empty. member is its name with what precedes it.
func appendBody(dst []byte, member string, body []byte) []byte {
	if len(body) == 0 {
		return dst
	}
	dst = append(dst, member...)
	return rawjson.AppendQuoted(dst, body)
}

// appendRaw appends a member that is a JSON value, unless it is absent.
func appendRaw(dst []byte, member string, value []byte) []byte {
	if len(value) == 0 {
		return dst
	}
	dst = append(dst, member...)
	return append(dst, value...)
}

func appendMore(dst []byte, kind hub.Kind, m *hub.More) []byte {
	if m.Time != 0 {
		dst = append(dst, `,"time":`...)
		dst = strconv.AppendInt(dst, m.Time, 10)
	}
	dst = appendRaw(dst, `,"meta":`, m.Meta)
	dst = appendBody(dst, `,"model":`, m.Model)
	dst = appendBody(dst, `,"sig":`, m.Sig)
	dst = appendBody(dst, `,"tool_kind":`, m.ToolKind)
	dst = appendRaw(dst, `,"locations":`, m.Locations)
	dst = appendRaw(dst, `,"content":`, m.Content)
	dst = appendRaw(dst, `,"percent":`, m.Percent)
	if kind == hub.Plan || len(m.Items) > 0 {
		dst = appendItems(dst, m.Items)
	}
	if len(m.Options) > 0 {
		dst = appendOptions(dst, m.Options)
	}
	dst = appendRaw(dst, `,"schema":`, m.Schema)
	dst = appendBody(dst, `,"expires":`, m.Expires)
	if kind == hub.Usage {
		dst = appendUsage(dst, &m.Usage)
	}
	dst = appendFile(dst, &m.File)
	dst = appendBody(dst, `,"err":`, m.Err)
	return appendBody(dst, `,"err_code":`, m.ErrCode)
}

func appendItems(dst []byte, items []hub.PlanItem) []byte {
	dst = append(dst, `,"items":[`...)
	for i := range items {
		it := &items[i]
		from := len(dst)
		dst = appendBody(dst, `,"id":`, it.ID)
		dst = appendBody(dst, `,"content":`, it.Content)
		dst = appendBody(dst, `,"status":`, it.Status)
		dst = appendBody(dst, `,"priority":`, it.Priority)
		dst = closeObject(dst, from, i+1 < len(items))
	}
	return append(dst, ']')
}

func appendOptions(dst []byte, options []hub.AskOption) []byte {
	dst = append(dst, `,"options":[`...)
	for i := range options {
		o := &options[i]
		from := len(dst)
		dst = appendBody(dst, `,"id":`, o.ID)
		dst = appendBody(dst, `,"name":`, o.Name)
		dst = appendBody(dst, `,"kind":`, o.Kind)
		dst = closeObject(dst, from, i+1 < len(options))
	}
	return append(dst, ']')
}

// closeObject makes an object of the members appended since from, each of which begins with a comma.
func closeObject(dst []byte, from int, more bool) []byte {
	if len(dst) == from {
		dst = append(dst, '{')
	}
	dst[from] = '{'
	dst = append(dst, '}')
	if more {
		dst = append(dst, ',')
	}
	return dst
}

func appendUsage(dst []byte, c *hub.Counts) []byte {
	const member = `,"usage":`
	from := len(dst) + len(member)
	start := len(dst)
	dst = append(dst, member...)
	dst = appendCount(dst, `,"in":`, c.In)
	dst = appendCount(dst, `,"out":`, c.Out)
	dst = appendCount(dst, `,"total":`, c.Total)
	dst = appendCount(dst, `,"cached":`, c.Cached)
	dst = appendCount(dst, `,"cache_write":`, c.CacheWrite)
	dst = appendCount(dst, `,"reasoning":`, c.ReasoningTokens)
	dst = appendCount(dst, `,"context_used":`, c.ContextUsed)
	dst = appendCount(dst, `,"context_size":`, c.ContextSize)
	dst = appendRaw(dst, `,"cost":`, c.Cost)
	dst = appendBody(dst, `,"currency":`, c.Currency)
	dst = appendBody(dst, `,"provider":`, c.Provider)
	if len(dst) == from {
		return dst[:start]
	}
	return closeObject(dst, from, false)
}

func appendCount(dst []byte, member string, n int64) []byte {
	if n < 0 {
		return dst
	}
	dst = append(dst, member...)
	return strconv.AppendInt(dst, n, 10)
}

func appendFile(dst []byte, f *hub.FileRef) []byte {
	const member = `,"file":`
	start := len(dst)
	dst = append(dst, member...)
	from := len(dst)
	dst = appendBody(dst, `,"media":`, f.Media)
	dst = appendBody(dst, `,"name":`, f.Name)
	dst = appendBody(dst, `,"url":`, f.URL)
	dst = appendBody(dst, `,"file_id":`, f.FileID)
	dst = appendBody(dst, `,"base64":`, f.Base64)
	if len(dst) == from {
		return dst[:start]
	}
	return closeObject(dst, from, false)
}
