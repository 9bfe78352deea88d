// Text that stands in HTML as what it is.
const signs: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" };

export const escaped = (text: string): string => text.replace(/[&<>"]/g, (sign) => signs[sign]);
