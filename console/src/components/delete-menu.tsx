import { Ellipsis, Trash2 } from "lucide-react";
import { useState } from "react";
import { DeleteByName, type DeleteByNameProps } from "./delete-by-name.tsx";
import { DropdownMenu } from "./dropdown-menu.tsx";
import { IconButton } from "./icon-button.tsx";

/** The menu of a page whose row can be deleted. */
export function DeleteMenu(props: Omit<DeleteByNameProps, "isOpen" | "onClose">) {
  const [isDeleting, setDeleting] = useState(false);
  return (
    <>
      <DropdownMenu
        trigger={<IconButton label={`More about ${props.row.name}`} icon={<Ellipsis />} />}
        groups={[[{ label: "Delete …", icon: <Trash2 />, isDangerous: true, onSelect: () => setDeleting(true) }]]}
      />
      <DeleteByName {...props} isOpen={isDeleting} onClose={() => setDeleting(false)} />
    </>
  );
}
