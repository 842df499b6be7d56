package a2a

// shape is how events are spelled. There are three: 1.0, which both of its bindings share; and of 0.3 that of JSON-RPC,
// whose objects are flat and name their kind, and that of REST, which is an older form of the protocol buffers.
type shape uint8

const (
	shapeV1 shape = iota
	shapeFlat
	shapeProto
)

// Versions of the protocol, as the header A2A-Version names them.
const (
	version1  = "1.0"
	version03 = "0.3"
)

func shapeOf(version string, rpc bool) shape {
	switch {
	case version != version03:
		return shapeV1
	case rpc:
		return shapeFlat
	}
	return shapeProto
}

// messageHeads begin a message, up to its id; messageRoles follow that, up to the parts.
var (
	messageHeads = [...]string{
		shapeV1:    `{"messageId":"`,
		shapeFlat:  `{"kind":"message","messageId":"`,
		shapeProto: `{"messageId":"`,
	}
	messageRoles = [...]string{
		shapeV1:    `","role":"ROLE_AGENT","parts":[`,
		shapeFlat:  `","role":"agent","parts":[`,
		shapeProto: `","role":"ROLE_AGENT","content":[`,
	}
	textHeads = [...]string{
		shapeV1:    `{"text":"`,
		shapeFlat:  `{"kind":"text","text":"`,
		shapeProto: `{"text":"`,
	}
	dataHeads = [...]string{
		shapeV1:    `{"data":`,
		shapeFlat:  `{"kind":"data","data":`,
		shapeProto: `{"data":`,
	}
)

var stateNames = [...]string{
	stateWorking: "working", stateCompleted: "completed", stateFailed: "failed", stateCanceled: "canceled",
	stateRejected: "rejected", stateInput: "input-required", stateAuth: "auth-required",
}

var stateConstants = [...]string{
	stateWorking: "TASK_STATE_WORKING", stateCompleted: "TASK_STATE_COMPLETED", stateFailed: "TASK_STATE_FAILED",
	stateCanceled: "TASK_STATE_CANCELED", stateRejected: "TASK_STATE_REJECTED", stateInput: "TASK_STATE_INPUT_REQUIRED",
	stateAuth: "TASK_STATE_AUTH_REQUIRED",
}

// state is the name of a state. The older form spells one of them in the British way.
func (s shape) state(st state) string {
	switch {
	case s == shapeFlat:
		return stateNames[st]
	case s == shapeProto && st == stateCanceled:
		return "TASK_STATE_CANCELLED"
	}
	return stateConstants[st]
}
