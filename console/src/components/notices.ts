/** Of the box above the page, in which the page says something about itself for as long as it is so. */
export const NOTICES_ID = "notices";
