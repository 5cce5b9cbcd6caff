package llm

import "maps"

// WithoutThinking returns extra with thinking turned off as the chat templates of
// Qwen3, GLM (enable_thinking) and DeepSeek, Granite (thinking) understand it;
// extra itself stays as it is. Only a server that sends thinking should be asked
// so, and those take unknown keys.
func WithoutThinking(extra map[string]any) map[string]any {
	const key = "chat_template_kwargs"
	out := maps.Clone(extra)
	if out == nil {
		out = map[string]any{}
	}
	kwargs := map[string]any{}
	if given, ok := out[key].(map[string]any); ok {
		maps.Copy(kwargs, given)
	}
	kwargs["enable_thinking"], kwargs["thinking"] = false, false
	out[key] = kwargs
	return out
}
