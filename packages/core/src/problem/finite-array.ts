// Whether an array has finite numbers only.

export const isFiniteArray = ({ data }: { readonly data: ArrayLike<number> }): boolean => {
  for (let i = 0; i < data.length; i++) if (!Number.isFinite(data[i])) return false;
  return true;
};
