package judge

// Read reads a reply in the form of a style.
func Read(s Style, said string) (Ruling, bool) { return forms[s].read(said) }

// Prompt renders the prompt of a style, with its reminder.
func Prompt(s Style, question string, golds []string, response string) (prompt, again string) {
	return render(string(s), newCase(question, golds, response)), words("again-" + string(s))
}
