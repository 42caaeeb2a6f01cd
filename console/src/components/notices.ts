/** The id of the element above the page that contains its banners. */
export const NOTICES_ID = "notices";
