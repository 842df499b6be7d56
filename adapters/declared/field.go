package declared

import (
	"slices"
	"strings"

	"github.com/sabir-proxy/sabir/adapters/hub"
)

// field is one field of canonical events, by the name that documents call it.
type field uint8

// The fields of hub.Event, then those of hub.More, then what encoders know besides.
const (
	fieldNone field = iota
	fieldStatus
	fieldChan
	fieldOp
	fieldLevel
	fieldScope
	fieldWhat
	fieldID
	fieldRef
	fieldSubAgent
	fieldMsg
	fieldName
	fieldTitle
	fieldText
	fieldValue
	fieldArgs   // Value, or Text where it is no JSON
	fieldResult // Text of a string, Value of other JSON, or content blocks
	fieldTime
	fieldMeta
	fieldModel
	fieldSig
	fieldToolKind
	fieldLocations
	fieldContent
	fieldPercent
	fieldItems
	fieldOptions
	fieldSchema
	fieldExpires
	fieldErr
	fieldErrCode
	fieldUsageIn
	fieldUsageOut
	fieldUsageTotal
	fieldUsageCached
	fieldUsageCacheWrite
	fieldUsageReasoning
	fieldUsageContextUsed
	fieldUsageContextSize
	fieldUsageCost
	fieldUsageCurrency
	fieldUsageProvider
	fieldFileMedia
	fieldFileName
	fieldFileURL
	fieldFileID
	fieldFileBase64

	fieldKind     // encode: name of the kind
	fieldSeq      // encode: number of the record, from 1
	fieldIndex    // encode: number of the tool call, from 0
	fieldRun      // encode: id of the run, on every event
	fieldThread   // encode: what the run belongs to, on every event
	fieldPriority // encode: of an item of a plan

	fieldInput    // of requests, as all that follow: what the user says that is new
	fieldSystem   // the instructions
	fieldHistory  // what was said before
	fieldMessages // all that was said
	fieldTools    // that the client runs
	fieldResults  // of calls that the client has run
	fieldAnswers  // to questions of the agent's
	fieldState    // that client and agent share
	fieldBody     // as the client sent it
	fieldCount
)

// form is what a field holds.
type form uint8

const (
	formWord   form = iota + 1 // a name of a closed vocabulary
	formLabel                  // the body of a string; numbers are read as their text
	formBody                   // the body of a string
	formRaw                    // any JSON value
	formObject                 // a JSON object
	formArray                  // a JSON array
	formNumber                 // a JSON number
	formPct                    // a JSON number from 0 to 100
	formCount                  // a whole number
	formArgs
	formResult
	formItems
	formOptions
	formMade // known to encoders only
)

type fieldInfo struct {
	name  string
	form  form
	slice func(*hub.Event) *[]byte // where it is, if it is a slice of the event
	more  func(*hub.More) *[]byte  // likewise of More
	count func(*hub.More) *int64   // likewise a number of More
}

var fieldInfos = [fieldCount]fieldInfo{
	fieldStatus: {name: "status", form: formWord},
	fieldChan:   {name: "chan", form: formWord},
	fieldOp:     {name: "op", form: formWord},
	fieldLevel:  {name: "level", form: formWord},
	fieldScope:  {name: "scope", form: formWord},
	fieldWhat:   {name: "what", form: formWord},

	fieldID:       {name: "id", form: formLabel, slice: func(ev *hub.Event) *[]byte { return &ev.ID }},
	fieldRef:      {name: "ref", form: formLabel, slice: func(ev *hub.Event) *[]byte { return &ev.Ref }},
	fieldSubAgent: {name: "lane", form: formLabel, slice: func(ev *hub.Event) *[]byte { return &ev.SubAgent }},
	fieldMsg:      {name: "msg", form: formLabel, slice: func(ev *hub.Event) *[]byte { return &ev.Msg }},
	fieldName:     {name: "name", form: formLabel, slice: func(ev *hub.Event) *[]byte { return &ev.Name }},
	fieldTitle:    {name: "title", form: formBody, slice: func(ev *hub.Event) *[]byte { return &ev.Title }},
	fieldText:     {name: "text", form: formBody, slice: func(ev *hub.Event) *[]byte { return &ev.Text }},
	fieldValue:    {name: "value", form: formRaw, slice: func(ev *hub.Event) *[]byte { return &ev.Value }},
	fieldArgs:     {name: "args", form: formArgs},
	fieldResult:   {name: "result", form: formResult},

	fieldTime:      {name: "time", form: formCount, count: func(m *hub.More) *int64 { return &m.Time }},
	fieldMeta:      {name: "meta", form: formObject, more: func(m *hub.More) *[]byte { return &m.Meta }},
	fieldModel:     {name: "model", form: formBody, more: func(m *hub.More) *[]byte { return &m.Model }},
	fieldSig:       {name: "sig", form: formBody, more: func(m *hub.More) *[]byte { return &m.Sig }},
	fieldToolKind:  {name: "tool_kind", form: formBody, more: func(m *hub.More) *[]byte { return &m.ToolKind }},
	fieldLocations: {name: "locations", form: formArray, more: func(m *hub.More) *[]byte { return &m.Locations }},
	fieldContent:   {name: "content", form: formArray, more: func(m *hub.More) *[]byte { return &m.Content }},
	fieldPercent:   {name: "percent", form: formPct, more: func(m *hub.More) *[]byte { return &m.Percent }},
	fieldItems:     {name: "items", form: formItems},
	fieldOptions:   {name: "options", form: formOptions},
	fieldSchema:    {name: "schema", form: formObject, more: func(m *hub.More) *[]byte { return &m.Schema }},
	fieldExpires:   {name: "expires", form: formBody, more: func(m *hub.More) *[]byte { return &m.Expires }},
	fieldErr:       {name: "err", form: formBody, more: func(m *hub.More) *[]byte { return &m.Err }},
	fieldErrCode:   {name: "err_code", form: formLabel, more: func(m *hub.More) *[]byte { return &m.ErrCode }},

	fieldUsageIn:          {name: "usage.in", form: formCount, count: func(m *hub.More) *int64 { return &m.Usage.In }},
	fieldUsageOut:         {name: "usage.out", form: formCount, count: func(m *hub.More) *int64 { return &m.Usage.Out }},
	fieldUsageTotal:       {name: "usage.total", form: formCount, count: func(m *hub.More) *int64 { return &m.Usage.Total }},
	fieldUsageCached:      {name: "usage.cached", form: formCount, count: func(m *hub.More) *int64 { return &m.Usage.Cached }},
	fieldUsageCacheWrite:  {name: "usage.cache_write", form: formCount, count: func(m *hub.More) *int64 { return &m.Usage.CacheWrite }},
	fieldUsageReasoning:   {name: "usage.reasoning", form: formCount, count: func(m *hub.More) *int64 { return &m.Usage.ReasoningTokens }},
	fieldUsageContextUsed: {name: "usage.context_used", form: formCount, count: func(m *hub.More) *int64 { return &m.Usage.ContextUsed }},
	fieldUsageContextSize: {name: "usage.context_size", form: formCount, count: func(m *hub.More) *int64 { return &m.Usage.ContextSize }},
	fieldUsageCost:        {name: "usage.cost", form: formNumber, more: func(m *hub.More) *[]byte { return &m.Usage.Cost }},
	fieldUsageCurrency:    {name: "usage.currency", form: formBody, more: func(m *hub.More) *[]byte { return &m.Usage.Currency }},
	fieldUsageProvider:    {name: "usage.provider", form: formBody, more: func(m *hub.More) *[]byte { return &m.Usage.Provider }},

	fieldFileMedia:  {name: "file.media", form: formBody, more: func(m *hub.More) *[]byte { return &m.File.Media }},
	fieldFileName:   {name: "file.name", form: formBody, more: func(m *hub.More) *[]byte { return &m.File.Name }},
	fieldFileURL:    {name: "file.url", form: formBody, more: func(m *hub.More) *[]byte { return &m.File.URL }},
	fieldFileID:     {name: "file.file_id", form: formLabel, more: func(m *hub.More) *[]byte { return &m.File.FileID }},
	fieldFileBase64: {name: "file.base64", form: formBody, more: func(m *hub.More) *[]byte { return &m.File.Base64 }},

	fieldKind:     {name: "kind", form: formMade},
	fieldSeq:      {name: "seq", form: formMade},
	fieldIndex:    {name: "index", form: formMade},
	fieldRun:      {name: "run", form: formMade},
	fieldThread:   {name: "thread", form: formMade},
	fieldPriority: {name: "priority", form: formMade},

	fieldInput:    {name: "input", form: formBody},
	fieldSystem:   {name: "system", form: formBody},
	fieldHistory:  {name: "history", form: formArray},
	fieldMessages: {name: "messages", form: formArray},
	fieldTools:    {name: "tools", form: formArray},
	fieldResults:  {name: "results", form: formArray},
	fieldAnswers:  {name: "answers", form: formArray},
	fieldState:    {name: "state", form: formRaw},
	fieldBody:     {name: "body", form: formObject},
}

func (f field) String() string { return fieldInfos[f].name }

func (f field) form() form { return fieldInfos[f].form }

func findField(name string) field {
	for f := fieldNone + 1; f < fieldCount; f++ {
		if f.String() == name {
			return f
		}
	}
	return fieldNone
}

// fieldSet is a set of fields; there are less than 64.
type fieldSet uint64

func setOf(all ...field) (s fieldSet) {
	for _, f := range all {
		s |= 1 << f
	}
	return s
}

func (s fieldSet) has(f field) bool { return s&(1<<f) != 0 }

// names lists the fields of the set, for messages.
func (s fieldSet) names() string {
	var all []string
	for f := fieldNone + 1; f < fieldCount; f++ {
		if s.has(f) {
			all = append(all, f.String())
		}
	}
	if len(all) == 0 {
		return "none"
	}
	return strings.Join(all, ", ")
}

// slot is where a field that is a slice is in ev; nil if ev has no More to hold it.
func (f field) slot(ev *hub.Event) *[]byte {
	info := &fieldInfos[f]
	switch {
	case info.slice != nil:
		return info.slice(ev)
	case ev.More != nil:
		return info.more(ev.More)
	}
	return nil
}

// common may stand on every event.
var common = setOf(fieldSubAgent, fieldMsg, fieldTime, fieldMeta)

var (
	usageFields = setOf(fieldUsageIn, fieldUsageOut, fieldUsageTotal, fieldUsageCached, fieldUsageCacheWrite, fieldUsageReasoning,
		fieldUsageContextUsed, fieldUsageContextSize, fieldUsageCost, fieldUsageCurrency, fieldUsageProvider)
	fileFields = setOf(fieldFileMedia, fieldFileName, fieldFileURL, fieldFileID, fieldFileBase64)
)

// kindInfo is what documents may say of a kind of events.
type kindInfo struct {
	fields  fieldSet // besides the common ones
	needs   field    // without it the event says nothing
	carries fieldSet // what is lost if no template takes it
}

var kindInfos = [hub.NumKinds]kindInfo{
	hub.RunStart: {
		fields:  setOf(fieldID, fieldRef, fieldName, fieldValue, fieldModel),
		carries: setOf(fieldID, fieldRef, fieldName, fieldValue),
	},
	hub.RunEnd: {
		fields:  setOf(fieldStatus, fieldName, fieldErr, fieldErrCode, fieldValue),
		carries: setOf(fieldErr, fieldValue),
	},
	hub.StepStart: {fields: setOf(fieldID, fieldName, fieldModel)},
	hub.StepEnd:   {fields: setOf(fieldID, fieldStatus)},
	hub.AgentStart: {
		fields: setOf(fieldID, fieldRef, fieldName, fieldTitle), needs: fieldID, carries: setOf(fieldName),
	},
	hub.AgentEnd: {
		fields:  setOf(fieldID, fieldRef, fieldName, fieldStatus, fieldText, fieldValue, fieldResult, fieldErr),
		needs:   fieldID,
		carries: setOf(fieldText, fieldValue, fieldErr),
	},
	hub.TextStart: {fields: setOf(fieldID, fieldChan, fieldName)},
	hub.TextDelta: {
		fields: setOf(fieldID, fieldChan, fieldText, fieldOp, fieldName), needs: fieldText, carries: setOf(fieldText),
	},
	hub.TextEnd: {fields: setOf(fieldID, fieldChan, fieldSig), carries: setOf(fieldSig)},
	hub.ToolStart: {
		fields:  setOf(fieldID, fieldName, fieldTitle, fieldToolKind, fieldLocations, fieldContent),
		needs:   fieldName,
		carries: setOf(fieldName),
	},
	hub.ToolArgs:  {fields: setOf(fieldID, fieldName, fieldText), needs: fieldText, carries: setOf(fieldText)},
	hub.ToolReady: {fields: setOf(fieldID, fieldName, fieldText, fieldValue, fieldArgs), carries: setOf(fieldText, fieldValue)},
	hub.ToolUpdate: {
		fields: setOf(fieldID, fieldName, fieldStatus, fieldTitle, fieldText, fieldValue, fieldPercent, fieldContent, fieldToolKind,
			fieldLocations),
		carries: setOf(fieldText, fieldValue, fieldContent),
	},
	hub.ToolOutput: {
		fields:  setOf(fieldID, fieldName, fieldChan, fieldText, fieldValue, fieldResult, fieldContent, fieldOp),
		carries: setOf(fieldText, fieldValue, fieldContent),
	},
	hub.ToolEnd: {
		fields:  setOf(fieldID, fieldName, fieldStatus, fieldText, fieldValue, fieldResult, fieldContent, fieldErr),
		carries: setOf(fieldText, fieldValue, fieldContent, fieldErr),
	},
	hub.Ask: {
		fields:  setOf(fieldID, fieldRef, fieldWhat, fieldTitle, fieldOptions, fieldSchema, fieldExpires, fieldValue),
		carries: setOf(fieldTitle, fieldOptions, fieldValue),
	},
	hub.Answer: {fields: setOf(fieldID, fieldStatus, fieldName, fieldValue), carries: setOf(fieldName, fieldValue)},
	hub.Plan:   {fields: setOf(fieldID, fieldItems), needs: fieldItems, carries: setOf(fieldItems)},
	hub.Usage:  {fields: setOf(fieldRef, fieldScope) | usageFields, carries: setOf(fieldUsageIn, fieldUsageOut)},
	hub.Notice: {fields: setOf(fieldLevel, fieldText, fieldName), needs: fieldText, carries: setOf(fieldText)},
	hub.Source: {
		fields:  setOf(fieldID, fieldRef, fieldTitle, fieldText, fieldValue) | fileFields,
		carries: setOf(fieldTitle, fieldText, fieldValue, fieldFileURL, fieldFileID, fieldFileName),
	},
	hub.File: {
		fields: setOf(fieldID, fieldRef, fieldTitle, fieldText) | fileFields, carries: setOf(fieldFileURL, fieldFileID, fieldFileBase64),
	},
	hub.Data: {fields: setOf(fieldID, fieldName, fieldValue, fieldOp), carries: setOf(fieldName, fieldValue)},
	hub.Raw:  {fields: setOf(fieldID, fieldName, fieldText, fieldValue), carries: setOf(fieldText, fieldValue)},
}

// settable are the flags that documents may set; others are made by Sabir alone.
const settable = hub.Resumed | hub.Replayed | hub.Transient | hub.ClientRuns | hub.User | hub.Lossy

// findFlag returns the flag of that name, 0 if there is none.
func findFlag(name string) hub.Flags {
	if i := slices.Index(hub.FlagNames(), name); i >= 0 {
		return 1 << i
	}
	return 0
}
