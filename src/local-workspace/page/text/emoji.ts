/** Slack's names for the emoji that people and apps use most; an unknown name is shown as `:name:`. */
const characters: Record<string, string> = {
  '+1': '👍', '-1': '👎', alarm_clock: '⏰', arrow_left: '⬅️', arrow_right: '➡️', arrows_counterclockwise: '🔄',
  art: '🎨', ballot_box_with_check: '☑️', bar_chart: '📊', bell: '🔔', black_circle: '⚫', blue_heart: '💙',
  bookmark: '🔖', boom: '💥', broken_heart: '💔', brain: '🧠', bug: '🐛', bulb: '💡', calendar: '📅', clap: '👏', clipboard: '📋',
  cloud: '☁️', clock1: '🕐', clock3: '🕒', coffee: '☕', computer: '💻', construction: '🚧', cry: '😢',
  double_vertical_bar: '⏸️', exclamation: '❗', eyes: '👀', fast_forward: '⏩', fire: '🔥', floppy_disk: '💾',
  gear: '⚙️', ghost: '👻', globe_with_meridians: '🌐', grey_question: '❔', hammer: '🔨', hammer_and_wrench: '🛠️', heart: '❤️',
  heavy_check_mark: '✔️', heavy_multiplication_x: '✖️', hourglass: '⌛', hourglass_flowing_sand: '⏳', inbox_tray: '📥',
  information_source: 'ℹ️', joy: '😂', key: '🔑', large_blue_circle: '🔵', large_green_circle: '🟢',
  large_orange_circle: '🟠', large_purple_circle: '🟣', large_yellow_circle: '🟡', link: '🔗', lock: '🔒',
  mag: '🔍', mega: '📣', memo: '📝', moneybag: '💰', mute: '🔇', no_bell: '🔕', no_entry: '⛔', no_entry_sign: '🚫', ok_hand: '👌',
  octagonal_sign: '🛑', outbox_tray: '📤', package: '📦', page_facing_up: '📄', paperclip: '📎', pencil: '📝', pencil2: '✏️',
  point_right: '👉', pray: '🙏', pushpin: '📌', question: '❓', raised_hands: '🙌', raising_hand: '🙋', recycle: '♻️',
  red_circle: '🔴', repeat: '🔁', robot_face: '🤖', rocket: '🚀', rotating_light: '🚨', seedling: '🌱', shrug: '🤷',
  skull: '💀', slightly_smiling_face: '🙂', smile: '😄', smiley: '😃', sos: '🆘', sparkles: '✨', speech_balloon: '💬', star: '⭐',
  stop_button: '⏹️', stopwatch: '⏱️', sunny: '☀️', tada: '🎉', thinking_face: '🤔', thumbsdown: '👎', thumbsup: '👍',
  test_tube: '🧪', timer_clock: '⏲️', toolbox: '🧰', trophy: '🏆', unlock: '🔓', warning: '⚠️', wastebasket: '🗑️', wave: '👋', white_check_mark: '✅',
  white_circle: '⚪', wrench: '🔧', x: '❌', zap: '⚡', zzz: '💤',
};

export function emojiCharacter(name: string): string | undefined {
  return Object.hasOwn(characters, name) ? characters[name] : undefined;
}

/** What the page offers as reactions. */
export const reactionNames = ['+1', 'eyes', 'white_check_mark', 'tada', 'heart', 'rocket', 'thinking_face', 'x'];
