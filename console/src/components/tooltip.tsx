import {
  cloneElement,
  type HTMLAttributes,
  type ReactElement,
  type ReactNode,
  useEffect,
  useId,
  useLayoutEffect,
  useRef,
  useState,
} from "react";
import { createPortal } from "react-dom";

const DELAY_MS = 400;
/** Time to move the pointer from the element to its hint, which may be read with a magnifier. */
const LEAVE_MS = 120;
const GAP = 6;
const EDGE = 8;

type Trigger = ReactElement<HTMLAttributes<HTMLElement>>;

/** A hint for a hovered or focused element. It must not be the only place of its information. */
export function Tooltip({ text, children }: { readonly text: ReactNode; readonly children: Trigger }) {
  const [target, setTarget] = useState<HTMLElement | null>(null);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  const id = useId();
  useEffect(() => () => clearTimeout(timer.current), []);
  const set = (element: HTMLElement | null, delayMs: number): void => {
    clearTimeout(timer.current);
    timer.current = setTimeout(() => setTarget(element), delayMs);
  };
  const { props } = children;
  const trigger = cloneElement(children, {
    ...(target !== null && { "aria-describedby": id }),
    onPointerEnter: (event) => {
      props.onPointerEnter?.(event);
      if (event.pointerType !== "touch") set(event.currentTarget, DELAY_MS);
    },
    onPointerLeave: (event) => {
      props.onPointerLeave?.(event);
      set(null, LEAVE_MS);
    },
    onPointerDown: (event) => {
      props.onPointerDown?.(event);
      set(null, 0);
    },
    onFocus: (event) => {
      props.onFocus?.(event);
      if (event.currentTarget.matches(":focus-visible")) set(event.currentTarget, 0);
    },
    onBlur: (event) => {
      props.onBlur?.(event);
      set(null, 0);
    },
  });
  return (
    <>
      {trigger}
      {target !== null && (
        <Hint
          id={id}
          target={target}
          onEnter={() => clearTimeout(timer.current)}
          onLeave={() => set(null, LEAVE_MS)}
          onClose={() => set(null, 0)}
        >
          {text}
        </Hint>
      )}
    </>
  );
}

interface HintProps {
  readonly id: string;
  readonly target: HTMLElement;
  readonly children: ReactNode;
  onEnter(): void;
  onLeave(): void;
  onClose(): void;
}

/** Above its target, or below where there is no room. */
function Hint({ id, target, children, onEnter, onLeave, onClose }: HintProps) {
  const surface = useRef<HTMLDivElement>(null);
  const [place, setPlace] = useState({ left: 0, top: 0 });
  useLayoutEffect(() => {
    if (surface.current === null) return;
    const { width, height } = surface.current.getBoundingClientRect();
    const box = target.getBoundingClientRect();
    const above = box.top - GAP - height;
    const centred = box.left + box.width / 2 - width / 2;
    setPlace({
      left: Math.max(EDGE, Math.min(centred, document.documentElement.clientWidth - EDGE - width)),
      top: above >= EDGE ? above : box.bottom + GAP,
    });
  }, [target]);
  useEffect(() => {
    const onKey = (event: KeyboardEvent): void => {
      if (event.key === "Escape") onClose();
    };
    addEventListener("keydown", onKey, true);
    addEventListener("scroll", onClose, true);
    return () => {
      removeEventListener("keydown", onKey, true);
      removeEventListener("scroll", onClose, true);
    };
  });
  return createPortal(
    <div
      ref={surface}
      id={id}
      role="tooltip"
      style={place}
      onPointerEnter={onEnter}
      onPointerLeave={onLeave}
      className="pointer-events-auto fixed z-50 w-max max-w-72 animate-fade rounded-sm bg-ink px-2 py-1 text-xs text-canvas shadow-2"
    >
      {children}
    </div>,
    document.body,
  );
}
