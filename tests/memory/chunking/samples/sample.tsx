import * as React from 'react';

type Props = { title: string };

export const Title: React.FC<Props> = ({ title }) => <h1>{title}</h1>;

export default function App(): JSX.Element {
  return <Title title="Aurora" />;
}
