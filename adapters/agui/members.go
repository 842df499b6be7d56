package agui

import (
	"strconv"

	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/internal/rawjson"
)

// Members of an event that AG-UI has no place for travel as JSON members of an object of ours: the value of a CUSTOM
// event, or the key "sabir" in the metadata of a native one. Both are written and read by the tables below; the names
// are those of the native notation of events.

// members is a set of members: one bit for each row of the tables.
type members uint32

const (
	mID members = 1 << iota
	mRef
	mMsg
	mName
	mTitle
	mText
	mValue
	mModel
	mToolKind
	mLocations
	mContent
	mPercent
	mSchema
	mExpires
	mErr
	mErrCode

	mStatus
	mChan
	mOp
	mLevel
	mScope
	mWhat

	mFlags
	mItems
	mOptions
	mUsage
	mFile
	mPlan // the id of a plan, even if empty: it marks an activity as a plan
	mMade // marks the text of a result that has none of its own: it is made of content or error
)

// What each native event carries under metadata.sabir.
const (
	textMembers      = mName | mTitle | mChan
	toolStartMembers = mTitle | mStatus | mToolKind | mLocations | mContent | mFlags
	toolEndMembers   = mStatus | mTitle | mToolKind | mLocations | mContent | mErr | mErrCode | mFlags
	runStartMembers  = mName
	runEndMembers    = mStatus | mName | mErr | mErrCode
	runErrorMembers  = mStatus | mName
	stepMembers      = mStatus | mModel
	agentEndMembers  = mStatus
	dataMembers      = mID | mOp | mFlags
	rawMembers       = mID
	askMembers       = mWhat | mValue | mOptions | mFlags
)

// ownKinds are the kinds that have no event in AG-UI, with what their CUSTOM events carry.
var ownKinds = map[hub.Kind]members{
	hub.ToolUpdate: mID | mMsg | mTitle | mText | mValue | mStatus | mToolKind | mLocations | mContent | mPercent | mErr | mFlags,
	hub.ToolOutput: mID | mMsg | mText | mValue | mChan | mOp | mContent | mFlags,
	hub.Ask:        mID | mRef | mName | mTitle | mText | mValue | mWhat | mOptions | mSchema | mExpires | mFlags,
	hub.Answer:     mID | mName | mText | mValue | mStatus | mFlags,
	hub.Usage:      mID | mRef | mScope | mModel | mUsage,
	hub.Notice:     mID | mRef | mName | mTitle | mText | mValue | mLevel | mErr | mFlags,
	hub.Source:     mID | mRef | mMsg | mTitle | mText | mValue | mFile | mFlags,
	hub.File:       mID | mRef | mMsg | mName | mTitle | mText | mValue | mFile | mFlags,
}

const (
	ownKey    = "sabir"  // in metadata
	ownPrefix = "sabir." // of the names of CUSTOM events
	planKey   = "plan"   // in metadata.sabir of the activity that a plan is written as
	madeKey   = "made"   // in metadata.sabir of a result
)

// bodies are the members that are strings or raw values.
var bodies = [...]struct {
	bit  members
	name string
	kind byte // '"' for a string body; '[', '{' or '0' for a value of that JSON kind; 'v' for any value
	of   func(*hub.Event, *hub.More) *[]byte
}{
	{mID, "id", '"', func(ev *hub.Event, _ *hub.More) *[]byte { return &ev.ID }},
	{mRef, "ref", '"', func(ev *hub.Event, _ *hub.More) *[]byte { return &ev.Ref }},
	{mMsg, "msg", '"', func(ev *hub.Event, _ *hub.More) *[]byte { return &ev.Msg }},
	{mName, "name", '"', func(ev *hub.Event, _ *hub.More) *[]byte { return &ev.Name }},
	{mTitle, "title", '"', func(ev *hub.Event, _ *hub.More) *[]byte { return &ev.Title }},
	{mText, "text", '"', func(ev *hub.Event, _ *hub.More) *[]byte { return &ev.Text }},
	{mValue, "value", 'v', func(ev *hub.Event, _ *hub.More) *[]byte { return &ev.Value }},
	{mModel, "model", '"', func(_ *hub.Event, m *hub.More) *[]byte { return &m.Model }},
	{mToolKind, "tool_kind", '"', func(_ *hub.Event, m *hub.More) *[]byte { return &m.ToolKind }},
	{mLocations, "locations", '[', func(_ *hub.Event, m *hub.More) *[]byte { return &m.Locations }},
	{mContent, "content", '[', func(_ *hub.Event, m *hub.More) *[]byte { return &m.Content }},
	{mPercent, "percent", '0', func(_ *hub.Event, m *hub.More) *[]byte { return &m.Percent }},
	{mSchema, "schema", '{', func(_ *hub.Event, m *hub.More) *[]byte { return &m.Schema }},
	{mExpires, "expires", '"', func(_ *hub.Event, m *hub.More) *[]byte { return &m.Expires }},
	{mErr, "err", '"', func(_ *hub.Event, m *hub.More) *[]byte { return &m.Err }},
	{mErrCode, "err_code", '"', func(_ *hub.Event, m *hub.More) *[]byte { return &m.ErrCode }},
}

// words are the members with a closed vocabulary; the empty word is absent.
var words = [...]struct {
	bit  members
	name string
	get  func(*hub.Event) string
	set  func(*hub.Event, []byte)
}{
	{mStatus, "status", func(ev *hub.Event) string { return ev.Status.String() }, setWord(hub.ParseStatus, func(ev *hub.Event) *hub.Status { return &ev.Status })},
	{mChan, "chan", func(ev *hub.Event) string { return unless(ev.Chan == 0, ev.Chan.String()) }, setWord(hub.ParseChan, func(ev *hub.Event) *hub.Chan { return &ev.Chan })},
	{mOp, "op", func(ev *hub.Event) string { return unless(ev.Op == 0, ev.Op.String()) }, setWord(hub.ParseOp, func(ev *hub.Event) *hub.Op { return &ev.Op })},
	{mLevel, "level", func(ev *hub.Event) string { return ev.Level.String() }, setWord(hub.ParseLevel, func(ev *hub.Event) *hub.Level { return &ev.Level })},
	{mScope, "scope", func(ev *hub.Event) string { return ev.Scope.String() }, setWord(hub.ParseScope, func(ev *hub.Event) *hub.Scope { return &ev.Scope })},
	{mWhat, "what", func(ev *hub.Event) string { return ev.AskKind.String() }, setWord(hub.ParseAskKind, func(ev *hub.Event) *hub.AskKind { return &ev.AskKind })},
}

// unless is the word, or none: zero values that have a name are absent all the same.
func unless(absent bool, word string) string {
	if absent {
		return ""
	}
	return word
}

// setWord makes the reader of a member from the parser of its vocabulary. Unknown words change nothing.
func setWord[T any](parse func([]byte) (T, bool), of func(*hub.Event) *T) func(*hub.Event, []byte) {
	return func(ev *hub.Event, word []byte) {
		if val, ok := parse(word); ok {
			*of(ev) = val
		}
	}
}

// noMore stands in for an event without rare members. It is only read.
var noMore = hub.More{Usage: hub.NoCounts}

// appendMembers appends those of which that ev has, each followed by a comma.
func appendMembers(dst []byte, ev *hub.Event, which members) []byte {
	m := ev.More
	if m == nil {
		m = &noMore
	}
	for i := range bodies {
		if b := &bodies[i]; which&b.bit != 0 {
			dst = appendMember(dst, b.name, b.kind, *b.of(ev, m))
		}
	}
	for i := range words {
		w := &words[i]
		if which&w.bit == 0 {
			continue
		}
		if word := w.get(ev); word != "" {
			dst = appendMember(dst, w.name, '"', []byte(word))
		}
	}
	if which&mFlags != 0 {
		dst = appendFlags(dst, ev.Flags&^hub.Synthetic)
	}
	if which&mOptions != 0 && len(m.Options) > 0 {
		dst = appendOptions(dst, m.Options)
	}
	if which&mPlan != 0 {
		dst = append(dst, `"`+planKey+`":`...)
		dst = append(rawjson.AppendQuoted(dst, ev.ID), ',')
	}
	if which&mMade != 0 {
		dst = append(dst, `"`+madeKey+`":true,`...)
	}
	if which&mUsage != 0 {
		dst = appendObject(dst, "usage", func(dst []byte) []byte { return appendCounts(dst, &m.Usage) })
	}
	if which&mFile != 0 {
		dst = appendObject(dst, "file", func(dst []byte) []byte { return appendFile(dst, &m.File) })
	}
	return dst
}

// appendMember appends one member and a comma, unless it is absent. An empty text is there, other empty strings are not.
func appendMember(dst []byte, name string, kind byte, val []byte) []byte {
	if val == nil || len(val) == 0 && name != "text" {
		return dst
	}
	dst = append(dst, '"')
	dst = append(dst, name...)
	dst = append(dst, `":`...)
	if kind == '"' {
		dst = rawjson.AppendQuoted(dst, val)
	} else {
		dst = append(dst, val...)
	}
	return append(dst, ',')
}

// appendObject appends a member that is an object of what f appends, unless f appends nothing.
func appendObject(dst []byte, name string, f func([]byte) []byte) []byte {
	start := len(dst)
	dst = append(dst, '"')
	dst = append(dst, name...)
	dst = append(dst, `":{`...)
	from := len(dst)
	if dst = f(dst); len(dst) == from {
		return dst[:start]
	}
	dst[len(dst)-1] = '}' // over the last comma
	return append(dst, ',')
}

// appendFlags appends the names of the flags that are set.
func appendFlags(dst []byte, flags hub.Flags) []byte {
	if flags == 0 {
		return dst
	}
	dst = append(dst, `"flags":[`...)
	for i, name := range hub.FlagNames() {
		if flags.Has(1 << i) {
			dst = rawjson.AppendQuoted(dst, []byte(name))
			dst = append(dst, ',')
		}
	}
	dst[len(dst)-1] = ']'
	return append(dst, ',')
}

func appendOptions(dst []byte, options []hub.AskOption) []byte {
	dst = append(dst, `"options":[`...)
	for i := range options {
		o := &options[i]
		dst = append(dst, '{')
		dst = appendMember(dst, "id", '"', o.ID)
		dst = appendMember(dst, "name", '"', o.Name)
		dst = appendMember(dst, "kind", '"', o.Kind)
		dst = closeObject(dst)
	}
	dst[len(dst)-1] = ']'
	return append(dst, ',')
}

// appendItems appends the items of a plan, even if there are none: an empty plan is a plan.
func appendItems(dst []byte, items []hub.PlanItem) []byte {
	dst = append(dst, `"items":[`...)
	for i := range items {
		it := &items[i]
		dst = append(dst, '{')
		dst = appendMember(dst, "id", '"', it.ID)
		dst = appendMember(dst, "content", '"', it.Content)
		dst = appendMember(dst, "status", '"', it.Status)
		dst = appendMember(dst, "priority", '"', it.Priority)
		dst = closeObject(dst)
	}
	if len(items) > 0 {
		dst = dst[:len(dst)-1]
	}
	return append(dst, ']')
}

// closeObject ends an object whose members each end with a comma, and appends a comma.
func closeObject(dst []byte) []byte {
	if dst[len(dst)-1] == ',' {
		dst = dst[:len(dst)-1]
	}
	return append(dst, `},`...)
}

// counts are the members of usage beyond those that AG-UI knows too.
var counts = [...]struct {
	name string
	of   func(*hub.Counts) *int64
}{
	{"in", func(c *hub.Counts) *int64 { return &c.In }},
	{"out", func(c *hub.Counts) *int64 { return &c.Out }},
	{"total", func(c *hub.Counts) *int64 { return &c.Total }},
	{"cached", func(c *hub.Counts) *int64 { return &c.Cached }},
	{"cache_write", func(c *hub.Counts) *int64 { return &c.CacheWrite }},
	{"reasoning", func(c *hub.Counts) *int64 { return &c.ReasoningTokens }},
	{"context_used", func(c *hub.Counts) *int64 { return &c.ContextUsed }},
	{"context_size", func(c *hub.Counts) *int64 { return &c.ContextSize }},
}

func appendCounts(dst []byte, c *hub.Counts) []byte {
	for i := range counts {
		if n := *counts[i].of(c); n >= 0 {
			dst = appendMember(dst, counts[i].name, '0', strconv.AppendInt(nil, n, 10))
		}
	}
	dst = appendMember(dst, "cost", '0', c.Cost)
	dst = appendMember(dst, "currency", '"', c.Currency)
	return appendMember(dst, "provider", '"', c.Provider)
}

func appendFile(dst []byte, f *hub.FileRef) []byte {
	dst = appendMember(dst, "media", '"', f.Media)
	dst = appendMember(dst, "name", '"', f.Name)
	dst = appendMember(dst, "url", '"', f.URL)
	dst = appendMember(dst, "file_id", '"', f.FileID)
	return appendMember(dst, "base64", '"', f.Base64)
}
