package hub

// A Face speaks with one client that is on a connection of lines for longer than a turn, such as an editor: it answers what the client says
// around turns. It does no I/O.
type Face interface {
	// Receive takes a message of the client. It appends the answer that is due at once, and says what else the client wants.
	Receive(dst, message []byte) ([]byte, ClientMessage)

	// Sent takes records that the encoder has written for the client, whose answers may come.
	Sent(records []byte)

	// Began appends the answer to a message that begins a conversation: how it is called, the body of a string.
	Began(dst []byte, m *ClientMessage, thread []byte) []byte
}

// ClientMessage is what a client wants by a message.
type ClientMessage struct {
	Kind   ClientMessageKind
	Call   []byte   // raw: the id of the message, where it has one; valid as long as the message
	Thread []byte   // string body: the conversation that it is about
	Answer Decision // to a question, of ClientAnswers
}

// ClientMessageKind says what a message is.
type ClientMessageKind uint8

// Kinds of messages.
const (
	ClientSettled ClientMessageKind = iota // there is nothing to do but to send the answer
	ClientTurn                             // the message is the request for a turn
	ClientBegins                           // a conversation
	ClientCancels                          // the turn of a conversation
	ClientAnswers                          // a question
)
