package a2a

import (
	"strconv"

	"github.com/sabir-proxy/sabir/adapters/hub"
)

// fault is what the protocol calls a failure: its code in JSON-RPC, and the reason and status that REST gives.
type fault struct {
	rpc            int
	reason, status string
	http           int
}

const statusInternal, statusRefused, statusOK = 500, 400, 200

// Faults. One without a reason of the protocol's has the code of Sabir for one.
var (
	internal     = fault{-32603, "", "INTERNAL", statusInternal}
	badParams    = fault{-32602, "", "INVALID_ARGUMENT", 0}
	noMethod     = fault{-32601, "", "NOT_FOUND", 0}
	notFound     = fault{-32001, "TASK_NOT_FOUND", "NOT_FOUND", 0}
	notCancelled = fault{-32002, "TASK_NOT_CANCELABLE", "FAILED_PRECONDITION", statusRefused}
	noNotifying  = fault{-32003, "PUSH_NOTIFICATION_NOT_SUPPORTED", "FAILED_PRECONDITION", statusRefused}
	unsupported  = fault{-32004, "UNSUPPORTED_OPERATION", "FAILED_PRECONDITION", statusRefused}
	noExtended   = fault{-32007, "EXTENDED_AGENT_CARD_NOT_CONFIGURED", "FAILED_PRECONDITION", statusRefused}
)

// faultOf is the fault of a request that is refused.
func faultOf(op hub.Operation, code hub.Code) fault {
	switch {
	case code == hub.CodeRunUnknown:
		return notFound
	case code == hub.CodeRunEnded && op == hub.OpStop:
		return notCancelled
	case code == hub.CodeUnsupported && op == hub.OpNotify:
		return noNotifying
	case code == hub.CodeUnsupported && op == hub.OpExtended:
		return noExtended
	case code == hub.CodeUnsupported, code == hub.CodeRunEnded: // a task that has ended takes no message
		return unsupported
	case code == hub.CodeNoEndpoint:
		return noMethod
	case code == hub.CodeUnreadable, code == hub.CodeLossy, code == hub.CodePartial, code == hub.CodeAskUnknown:
		return badParams
	}
	return internal
}

// appendRefusal appends the error that answers a request in its own form. A call of JSON-RPC that is no message was answered, whatever the
// answer is; a message that is refused has a status, too.
func appendRefusal(dst []byte, op hub.Operation, asked *hub.Request, f *hub.Failure) (body []byte, status int) {
	e, known := answering(asked), faultOf(op, f.Code)
	status = f.HTTPStatus()
	switch {
	case op == hub.OpRun || op == hub.OpWhole:
	case e.rpc:
		status = statusOK
	case known.http != 0:
		status = known.http
	}
	known.http = status
	return e.appendFault(dst, known, []byte(f.Text()), []byte(f.Code)), status
}

// appendFault appends an error in the form of the client.
func (e *encoder) appendFault(dst []byte, f fault, message, code []byte) []byte {
	if !e.rpc {
		return appendRESTError(dst, f, message, code, e.shape == shapeV1)
	}
	dst = append(append(append(dst, `{"jsonrpc":"2.0","id":`...), e.call...), `,"error":`...)
	return append(appendRPCError(dst, f, message, code), '}')
}

func appendRPCError(dst []byte, f fault, message, code []byte) []byte {
	dst = append(append(f.appendCode(dst), message...), `","data":[`...)
	return append(f.appendInfo(dst, code), `]}`...)
}

func appendRESTError(dst []byte, f fault, message, code []byte, v1 bool) []byte {
	if !v1 {
		return append(append(f.appendCode(dst), message...), `"}`...)
	}
	dst = strconv.AppendInt(append(dst, `{"error":{"code":`...), int64(f.http), 10)
	dst = append(append(append(dst, `,"status":"`...), f.status...), `","message":"`...)
	dst = append(append(dst, message...), `","details":[`...)
	return append(f.appendInfo(dst, code), `]}}`...)
}

// appendCode begins an error up to its message.
func (f *fault) appendCode(dst []byte) []byte {
	return append(strconv.AppendInt(append(dst, `{"code":`...), int64(f.rpc), 10), `,"message":"`...)
}

// appendInfo appends the detail of an error. Reasons of the protocol's have its domain.
func (f *fault) appendInfo(dst, code []byte) []byte {
	domain, reason := "sabir", string(code)
	if f.reason != "" {
		domain, reason = "a2a-protocol.org", f.reason
	}
	dst = append(append(dst, `{"@type":"type.googleapis.com/google.rpc.ErrorInfo","domain":"`...), domain...)
	return append(append(append(dst, `","reason":"`...), reason...), `"}`...)
}
