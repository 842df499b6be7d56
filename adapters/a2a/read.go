package a2a

import (
	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/internal/rawjson"
)

// event is what a record tells of.
type event uint8

const (
	unknown event = iota
	aTask
	aMessage
	aStatus
	anArtifact
)

// object has the members of all four kinds of events, in any spelling: ProtoJSON may be in snake case, too.
type object struct {
	id, contextID, taskID, messageID []byte
	role                             []byte
	status, artifact                 rawjson.Value
	artifacts, parts, metadata       rawjson.Value
	append, last, final              bool
}

// readEvent tells what an event is by its shape: 1.0, and the REST binding of 0.3, wrap it in a member that names it; the
// JSON-RPC binding of 0.3 has a member kind.
func readEvent(v rawjson.Value) (event, object) {
	what, inner := unknown, v
	for key, val := range rawjson.EachField(v) {
		found := unknown
		switch string(key) {
		case "kind":
			if found = kinds[string(rawjson.Body(val))]; found != unknown {
				return found, readObject(v)
			}
		case "task":
			found = aTask
		case "message", "msg":
			found = aMessage
		case "statusUpdate", "status_update":
			found = aStatus
		case "artifactUpdate", "artifact_update":
			found = anArtifact
		}
		// Of several the first counts, in the order task, message, status, artifact: that is what clients take.
		if found != unknown && rawjson.Kind(val) == '{' && (what == unknown || found < what) {
			what, inner = found, val
		}
	}
	if what == unknown {
		return unknown, object{}
	}
	return what, readObject(inner)
}

var kinds = map[string]event{"task": aTask, "message": aMessage, "status-update": aStatus, "artifact-update": anArtifact}

func readObject(v rawjson.Value) (o object) {
	for key, val := range rawjson.EachField(v) {
		switch string(key) {
		case "id":
			o.id = rawjson.Body(val)
		case "contextId", "context_id":
			o.contextID = rawjson.Body(val)
		case "taskId", "task_id":
			o.taskID = rawjson.Body(val)
		case "messageId", "message_id":
			o.messageID = rawjson.Body(val)
		case "role":
			o.role = rawjson.Body(val)
		case "status":
			o.status = val
		case "artifact":
			o.artifact = val
		case "artifacts":
			o.artifacts = val
		case "parts", "content":
			o.parts = val
		case "metadata":
			o.metadata = val
		case "append":
			o.append, _ = rawjson.Bool(val)
		case "lastChunk", "last_chunk":
			o.last, _ = rawjson.Bool(val)
		case "final":
			o.final, _ = rawjson.Bool(val)
		}
	}
	return o
}

// artifact is a result, or a piece of one.
type artifact struct {
	id, name, description []byte
	parts                 rawjson.Value
}

func readArtifact(v rawjson.Value) (a artifact) {
	for key, val := range rawjson.EachField(v) {
		switch string(key) {
		case "artifactId", "artifact_id":
			a.id = rawjson.Body(val)
		case "name":
			a.name = rawjson.Body(val)
		case "description":
			a.description = rawjson.Body(val)
		case "parts":
			a.parts = val
		}
	}
	return a
}

// part is one part of a message or an artifact.
type part struct {
	text    []byte
	data    rawjson.Value
	kind    []byte // what the metadata say that the data are
	thought bool   // the metadata say that the text is reasoning
	file    hub.FileRef

	metadata rawjson.Value
}

// Metadata of parts: those of Google's Agent Development Kit, and one of ours.
const (
	keyKind    = "adk_type"
	keyThought = "adk_thought"

	kindCall     = "function_call"
	kindResponse = "function_response"
	kindAsk      = "sabir_ask"
	kindAsked    = "sabir_asked"
)

func readPart(v rawjson.Value) (p part) {
	for key, val := range rawjson.EachField(v) {
		switch string(key) {
		case "text":
			p.text = rawjson.Body(val)
		case "data":
			p.data = rawjson.NotNull(val)
		case "raw":
			p.file.Base64 = rawjson.Body(val)
		case "url":
			p.file.URL = rawjson.Body(val)
		case "mediaType", "media_type":
			p.file.Media = rawjson.Body(val)
		case "filename":
			p.file.Name = rawjson.Body(val)
		case "file":
			p.file = readFile(val)
		case "metadata":
			p.metadata = val
			p.kind = rawjson.Text(val, keyKind)
			p.thought, _ = rawjson.Bool(rawjson.Get(val, keyThought))
		}
	}
	return p
}

// readFile reads the file of 0.3, in the spelling of both of its bindings.
func readFile(v rawjson.Value) (f hub.FileRef) {
	for key, val := range rawjson.EachField(v) {
		switch string(key) {
		case "bytes", "fileWithBytes", "file_with_bytes":
			f.Base64 = rawjson.Body(val)
		case "uri", "fileWithUri", "file_with_uri":
			f.URL = rawjson.Body(val)
		case "mimeType", "mime_type":
			f.Media = rawjson.Body(val)
		case "name":
			f.Name = rawjson.Body(val)
		}
	}
	return f
}

// state is that of a task.
type state uint8

const (
	stateUnknown state = iota
	stateWorking       // or submitted
	stateCompleted
	stateFailed
	stateCanceled
	stateRejected
	stateInput
	stateAuth
)

var states = map[string]state{
	"submitted": stateWorking, "working": stateWorking, "completed": stateCompleted, "failed": stateFailed,
	"canceled": stateCanceled, "cancelled": stateCanceled, "rejected": stateRejected, "input-required": stateInput, "auth-required": stateAuth,

	"TASK_STATE_SUBMITTED": stateWorking, "TASK_STATE_WORKING": stateWorking, "TASK_STATE_COMPLETED": stateCompleted,
	"TASK_STATE_FAILED": stateFailed, "TASK_STATE_CANCELED": stateCanceled, "TASK_STATE_CANCELLED": stateCanceled,
	"TASK_STATE_REJECTED": stateRejected, "TASK_STATE_INPUT_REQUIRED": stateInput, "TASK_STATE_AUTH_REQUIRED": stateAuth,
}

// ends reports whether a stream is over with a task in this state.
func (s state) ends() bool { return s >= stateCompleted }
